// The commands of README.md, CONTRIBUTING.md and docs/: which of them the tests run, and why the others not. A command that is in
// no list here is run offline as it stands, by the built command line, and must end with exit code 0.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, root } from '../layers/source.js'

export interface Block {
  readonly page: string
  readonly commands: readonly string[]
}

/** Not run here, each with the reason. An entry ends in `…` when it stands for every command that begins so. */
export const notRun: Readonly<Record<string, string>> = {
  'npm ci…': 'CI runs it itself (.ci/run)',
  'npm run check': 'the first half of npm test',
  'npm test': 'CI runs it itself (.ci/run)',
  'npx vitest run test/wire/calls.test.ts': 'one of the files that npm test runs',
  'npm run platforms…': 'needs the registry and a Chromium; takes minutes',
  'npm run lab': 'needs the registry; test/lab plays the same rows with toolwire',
  'npm run growth…': 'takes minutes; npm test runs a part of the same tests',
  'npm run mutants…': 'changes the sources and runs the tests of each area for an hour',
  'npm run newcomer': 'a step of its own in CI (.ci/run)',
  'npm install toolwire zod': 'scripts/newcomer.mjs runs it, with the packed tarball for the name',
  'npm install toolwire @modelcontextprotocol/sdk':
    'needs the registry; test/package/exports keeps peers behind their doors',
  'npm install toolwire @dbos-inc/dbos-sdk': 'needs the registry; test/dbos runs with that peer',
  'npm install toolwire @restatedev/restate-sdk…': 'needs the registry; the tests of that door run with that peer',
  'npm run release…': 'test/package/release.test.ts runs the script in a repository of its own',
  'npx @restatedev/restate-server…': 'starts a server of somebody else; npm run engines:restate runs on one',
  'npm install @opentelemetry/api…': 'needs the registry; test/otel and test/gateway run with that package',
  'NODE_OPTIONS=…': 'instruments the command with packages of OpenTelemetry; the command itself is run',
  'ANTHROPIC_BASE_URL=…': 'starts a program of somebody else; npm run clients does it',
  'GOOGLE_GEMINI_BASE_URL=…': 'starts a program of somebody else; npm run clients does it',
  'OPENAI_BASE_URL=…': 'starts a program of somebody else; npm run clients does it',
  'npx @modelcontextprotocol/inspector --cli toolwire mcp --tools ./tools.mjs --method tools/list':
    'test/mcp/command-line.test.ts lists and calls tools by that inspector',
}

/** These go on until they are stopped: what they say once they are there. Stopped by SIGTERM, they end with exit code 0. */
export const serving: Readonly<Record<string, RegExp>> = {
  'toolwire serve --config gateway.json': /http:\/\/127\.0\.0\.1:\d+/,
  'npx toolwire serve': /http:\/\/127\.0\.0\.1:\d+/,
  'npx toolwire serve --config gateway.json --port 4141': /http:\/\/127\.0\.0\.1:\d+/,
  'toolwire mcp --tools ./tools.mjs --port 3001': /http:\/\/127\.0\.0\.1:\d+/,
}

/** Those that end otherwise than with 0. */
export const exits: Readonly<Record<string, number>> = {
  'toolwire run --durable --model anthropic:claude-sonnet-5-5 --tools ./tools.mjs "Pay invoice 17."': 3, // waits for approval
}

/** What has to have happened before. */
export const before: Readonly<Record<string, string>> = {
  'toolwire runs cancel ID':
    'toolwire run --durable --model anthropic:claude-sonnet-5-5 --tools ./tools.mjs "Pay invoice 18." || test $? = 3',
}

/** Every block of commands, in the order of the pages; comments are taken off, continued lines joined. */
export function blocks(): readonly Block[] {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...filesBelow('docs')
      .filter((path) => path.endsWith('.md'))
      .toSorted(),
  ]
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    return [...text.matchAll(/^```(sh|bash|shell|console)\n([\s\S]*?)^```/gm)].map(([, language, body = '']) => {
      const lines = body.replaceAll('\\\n', '').split('\n')
      const typed =
        language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((it) => it.slice(2)) : lines
      return { page, commands: typed.map((line) => line.replace(/\s+# .*$/, '').trim()).filter((line) => line !== '') }
    })
  })
}

/** Why a command is not run; undefined when it is. */
export function reasonAgainst(command: string): string | undefined {
  return Object.entries(notRun).find(([entry]) => stands(entry, command))?.[1]
}

export function stands(entry: string, command: string): boolean {
  return entry.endsWith('…') ? command.startsWith(entry.slice(0, -1)) : command === entry
}
