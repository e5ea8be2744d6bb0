// The coding agents: where each one's program lies in its package, and how it is told of the gateway. docs/gateway.md says the same.

/**
 * What each needs besides the address and the key. `command` is its program within `node_modules`, run by Node when it is a script;
 * `files` are written into its home before it starts.
 */
export const agents = [
  {
    name: 'Claude Code',
    id: 'claude',
    wire: 'anthropic',
    command: '@anthropic-ai/claude-code/cli-wrapper.cjs',
    args: (prompt) => ['-p', prompt, '--allowedTools', 'Bash'],
    env: ({ url, key }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    files: () => ({}),
  },
  {
    name: 'Codex',
    id: 'codex',
    wire: 'openai-responses',
    command: '@openai/codex/bin/codex.js',
    args: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: ({ key }) => ({ TOOLWIRE_KEY: key }),
    files: ({ url }) => ({
      '.codex/config.toml': [
        'model = "gpt-5.5"',
        'model_provider = "toolwire"',
        'web_search = "disabled"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[features]',
        'multi_agent = false',
        'plugins = false',
        '[model_providers.toolwire]',
        'name = "toolwire"',
        `base_url = "${url}/v1"`,
        'env_key = "TOOLWIRE_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    }),
  },
  {
    name: 'Gemini CLI',
    id: 'gemini',
    wire: 'gemini',
    command: '@google/gemini-cli/bundle/gemini.js',
    args: (prompt) => ['--yolo', '--skip-trust', '-p', prompt],
    env: ({ url, key }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }),
    files: () => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
  },
  {
    name: 'opencode',
    id: 'opencode',
    wire: 'openai-chat',
    command: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    args: (prompt) => ['run', '--model', 'toolwire/any', prompt],
    env: ({ key }) => ({ TOOLWIRE_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }),
    files: ({ url }) => ({
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        provider: {
          toolwire: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: '{env:TOOLWIRE_KEY}' },
            models: { any: {} },
          },
        },
      }),
    }),
  },
  {
    name: 'Qwen Code',
    id: 'qwen',
    wire: 'openai-chat',
    command: '@qwen-code/qwen-code/cli.js',
    args: (prompt) => ['--auth-type', 'openai', '--yolo', '-p', prompt],
    env: ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: 'any' }),
    files: () => ({
      '.qwen/settings.json': json({
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
  },
]

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
