// `toolwire run` as a process, against a provider on the loopback.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import type { ProviderScript } from '../../src/testing/provider-script.js'
import { type ProviderServer, providerServer } from '../../src/testing/provider-server.js'
import { type CommandOptions, type Ended, temporaryFolder, toolwire } from './command.js'

const key = 'sk-test-0123456789abcdef'

async function serverOf(script: ProviderScript): Promise<ProviderServer> {
  const server = await providerServer({ script, strict: true })
  onTestFinished(() => server.close())
  return server
}

function ask(server: ProviderServer, args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const model = ['--model', 'openai:scripted', '--base-url', server.url]
  return toolwire(['run', ...model, ...args], { ...options, env: { OPENAI_API_KEY: key, ...options.env } })
}

function toolFile(folder: string): string {
  const path = join(folder, 'tools.mjs')
  writeFileSync(
    path,
    `const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
export default [
  { name: 'remove', description: 'Removes a file for good', input, capabilities: ['filesystem'],
    execute: ({ path }) => { console.error('REMOVED ' + path); return 'removed ' + path } },
  { name: 'hang', description: 'Never comes to an end', input, execute: () => new Promise(() => setInterval(() => {}, 1000)) },
]`,
  )
  return path
}

const removal = { calls: [{ name: 'remove', args: { path: 'a.txt' } }] }

describe('an answer', () => {
  test('goes to stdout; the model and the calls go to stderr', async () => {
    const server = await serverOf([{ calls: [{ name: 'calculator', args: { expression: '6 * 7' } }] }, 'It is 42.'])
    const { code, stdout, stderr } = await ask(server, ['--demo-tools', '--system', 'Be brief.', 'What', 'is 6 * 7?'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is 42.\n' })
    expect(stderr).toContain('model: openai:scripted')
    expect(stderr).toMatch(/✓ calculator\(\{"expression":"6 \* 7"\}\) \d+ ms → 42\n/)
    const { messages } = server.requests[0]?.request ?? { messages: [] }
    expect(messages.map((message) => message.role)).toEqual(['system', 'user'])
    expect(JSON.stringify(messages)).toContain('What is 6 * 7?')
  })

  test('--text-calls makes a call that the model wrote into its text, and says so', async () => {
    const leaked = '<tool_call>{"name": "calculator", "arguments": {"expression": "6 * 7"}}</tool_call>'
    const server = await serverOf((_, index) => (index % 2 === 0 ? leaked : 'It is 42.'))
    const { stdout, stderr } = await ask(server, ['--demo-tools', '--text-calls', 'What is 6 * 7?'])
    expect(stdout).toBe('It is 42.\n')
    expect(stderr).toMatch(/✓ calculator\(.*→ 42/)
    expect(stderr).toContain('note: a call in the text of the answer became a call')
  })

  test('no colour and no spinner without a terminal, colour when it is forced', async () => {
    const server = await serverOf(() => 'Hello.')
    expect((await ask(server, ['hi'])).stderr).not.toContain('\u001b')
    expect((await ask(server, ['hi'], { env: { FORCE_COLOR: '1' } })).stderr).toContain('\u001b[2m')
  })

  test('as JSON lines, the last the result', async () => {
    const server = await serverOf([{ calls: [{ name: 'calculator', args: { expression: '6 * 7' } }] }, 'It is 42.'])
    const { code, stdout } = await ask(server, ['--json', '--demo-tools', 'What is 6 * 7?'])
    const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { type: string }]))
    expect(code).toBe(0)
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['turn_start', 'tool_call', 'tool_start', 'tool_result', 'text_delta', 'turn_end']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { text: 'It is 42.', stop: { reason: 'answer' } } })
  })

  test('the request may be piped in, and nothing else reads the pipe', async () => {
    const server = await serverOf(() => 'Read.')
    const { code } = await ask(server, ['-'], { input: 'from a pipe\n' })
    expect(code).toBe(0)
    expect(JSON.stringify(server.requests[0]?.request.messages)).toContain('from a pipe')
  })
})

describe('tools of a file', () => {
  test('run when everything is approved, are denied otherwise', async () => {
    const tools = toolFile(temporaryFolder())
    const approved = await ask(await serverOf([removal, 'ok']), ['--tools', tools, '--approve', 'all', 'go'])
    expect(approved.stderr).toContain('REMOVED a.txt')
    expect(approved.stderr).toContain('→ removed a.txt')
    const denied = await ask(await serverOf([removal, 'ok']), ['--tools', tools, 'go'])
    expect(denied.code).toBe(0)
    expect(denied.stderr).not.toContain('REMOVED')
    expect(denied.stderr).toContain('✗ remove(')
  })

  test('a run that waits for approval ends with 3 and goes on when it is resumed', async () => {
    const folder = temporaryFolder()
    const saved = join(folder, 'talk.json')
    const tools = toolFile(folder)
    const server = await serverOf([removal, 'Done.'])
    const waiting = await ask(server, ['--tools', tools, '--approve', 'ask', '--save', saved, 'go'])
    expect(waiting.code).toBe(3)
    expect(waiting.stderr).toContain('waits for approval')
    expect(waiting.stderr).not.toContain('REMOVED')
    const refused = await ask(server, ['--resume', saved, '--tools', tools, 'more', 'words'])
    expect(refused.code).toBe(2)
    const resumed = await ask(server, ['--resume', saved, '--save', saved, '--tools', tools, '--approve', 'all'])
    expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(resumed.stderr).toContain('REMOVED a.txt')
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toHaveLength(4)
  })

  test('a tool that leaves something open does not keep the command', async () => {
    const tools = toolFile(temporaryFolder())
    const server = await serverOf([{ calls: [{ name: 'hang', args: { path: 'x' } }] }, 'never'])
    const { code, stderr } = await ask(server, ['--tools', tools, '--timeout', '0.3', 'go'])
    expect(code).toBe(3)
    expect(stderr).toContain('--timeout')
  })
})

describe('a conversation', () => {
  test('is saved and resumed, on another wire as well', async () => {
    const saved = join(temporaryFolder(), 'talk.json')
    const server = await serverOf((_request, index) => `Answer ${index + 1}.`)
    for (const [index, vendor] of ['openai', 'anthropic', 'gemini', 'ollama', 'openai-responses'].entries()) {
      const before = existsSync(saved) ? ['--resume', saved] : []
      const model = ['--model', `${vendor}:scripted`, '--base-url', server.url]
      const { code, stdout } = await toolwire(['run', ...model, ...before, '--save', saved, `Question ${index + 1}`])
      expect({ code, stdout }).toEqual({ code: 0, stdout: `Answer ${index + 1}.\n` })
    }
    expect(server.requests.map(({ wire }) => wire).toSorted()).toEqual(wires.toSorted())
    expect(server.requests.at(-1)?.request.messages).toHaveLength(9)
    const unasked = await ask(server, ['--resume', saved])
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('asks nothing')
  })

  test('Ctrl-C ends with 130 and keeps what was said', async () => {
    const saved = join(temporaryFolder(), 'talk.json')
    const slow = await serverOf([{ text: 'Never.', hang: true }])
    const { code, stderr } = await ask(slow, ['--json', '--save', saved, 'hi'], {
      onOutput: once((signal) => signal('SIGINT')),
    })
    expect(code).toBe(130)
    expect(stderr).toContain('interrupted')
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject([{ role: 'user' }])
  })
})

/** Interrupts at the first output, and not again while the command saves. */
function once(act: (signal: (name: NodeJS.Signals) => void) => void): NonNullable<CommandOptions['onOutput']> {
  let isDone = false
  return (_stdout, signal) => {
    if (!isDone) act(signal)
    isDone = true
  }
}

describe('what goes wrong is one line that says what to do', () => {
  const oneLine = /^(model: .*\n)?toolwire: [^\n]+\n$/

  test('limits end with 3', async () => {
    const server = await serverOf(() => ({ calls: [{ name: 'calculator', args: { expression: '1' } }] }))
    const { code, stderr } = await ask(server, ['--demo-tools', '--max-turns', '1', 'go'])
    expect(code).toBe(3)
    expect(stderr).toContain('--max-turns')
  })

  test('a failing provider ends with 1, without the key', async () => {
    const server = await providerServer({
      misbehave: () => ({ status: 401, body: `{"error":{"message":"bad key ${key}\\nnext line"}}` }),
    })
    onTestFinished(() => server.close())
    const { code, stdout, stderr } = await ask(server, ['hi'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain('check the key')
    expect(stderr).not.toContain(key)
  })

  test('no key and no server', async () => {
    const keyless = await toolwire(['run', '--model', 'openai:x', 'hi'])
    expect(keyless.code).toBe(1)
    expect(keyless.stderr).toMatch(oneLine)
    expect(keyless.stderr).toContain('OPENAI_API_KEY')
  })

  test.each([
    [['run', '--model', 'nobody:x', 'hi'], 'names no model'],
    [['run', '--base-url', 'http://127.0.0.1:9', 'hi'], '--model'],
    [['run', '--tools', './no-such-tools.mjs', 'hi'], 'no-such-tools.mjs'],
    [['run', '--resume', 'no-such-talk.json', 'hi'], 'no-such-talk.json'],
    [['run', '--save', 'no/such/folder/talk.json', 'hi'], '--save'],
    [['run', '--max-turns', '0', 'hi'], 'whole number'],
    [['run', '--timeout', 'soon', 'hi'], 'seconds'],
    [['run', '--approve', 'maybe', 'hi'], 'ask'],
    [['run', ' '], 'empty'],
    [['chat', '--resume', 'no-such-talk.json'], 'no-such-talk.json'],
    [['fly'], 'unknown command'],
  ])('%j is misuse', async (args, text) => {
    const { code, stdout, stderr } = await toolwire(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(text)
    expect(stderr).not.toContain('    at ')
  })
})
