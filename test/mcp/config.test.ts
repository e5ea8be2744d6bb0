// The configuration people already have, and commands in one text.
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandWords } from '../../src/cli/command-words.js'
import { openMcpServers, serverOf } from '../../src/cli/mcp-servers.js'
import { createTerminal } from '../../src/cli/terminal.js'
import { ToolwireError } from '../../src/errors/error.js'
import { mcpServersOf } from '../../src/mcp/config.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { root } from '../layers/source.js'

test('commands and addresses are read, variables filled in, disabled servers left out', () => {
  const config = {
    mcpServers: {
      files: {
        command: 'npx',
        args: ['-y', 'server', `\${FOLDER}`],
        env: { TOKEN: `a-\${KEY}-b`, MODE: `\${MODE:-quiet}` },
      },
      remote: { type: 'http', url: `https://\${HOST}/mcp`, headers: { authorization: `Bearer \${KEY}` } },
      off: { command: `\${NOT_SET}`, disabled: true },
    },
  }
  expect(mcpServersOf(config, { FOLDER: '/data', KEY: 'k', HOST: 'example.test' })).toEqual({
    files: { command: 'npx', args: ['-y', 'server', '/data'], env: { TOKEN: 'a-k-b', MODE: 'quiet' } },
    remote: { url: 'https://example.test/mcp', headers: { authorization: 'Bearer k' } },
  })
})

test.each([
  [{}, 'no object "mcpServers"'],
  [{ mcpServers: [] }, 'no object "mcpServers"'],
  [{ mcpServers: { a: 'npx' } }, '"a" of the configuration is not an object'],
  [{ mcpServers: { a: {} } }, 'neither a command nor a url'],
  [{ mcpServers: { a: { command: 'x', url: 'http://y' } } }, 'both a command and a url'],
  [{ mcpServers: { a: { command: 1 } } }, '"command" that is not a text'],
  [{ mcpServers: { a: { command: 'x', args: 'y' } } }, '"args" that are no list'],
  [{ mcpServers: { a: { command: 'x', args: [1] } } }, '"args[0]" that is not a text'],
  [{ mcpServers: { a: { command: 'x', env: { K: `\${NOT_SET}` } } } }, 'environment variable NOT_SET for "env.K"'],
  [{ mcpServers: { a: { command: `\${__proto__}` } } }, 'environment variable __proto__'],
  [{ mcpServers: { a: { type: 'sse', url: 'http://y' } } }, 'old "sse" transport'],
  [{ mcpServers: { a: { url: 'y' } } }, 'no address'],
])('%j is misuse that says: %s', (config, words) => {
  expect(() => mcpServersOf(config, {})).toThrow(words)
})

test('any JSON is a configuration or typed misuse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      for (const config of [json, { mcpServers: json }, { mcpServers: { a: json } }]) {
        try {
          mcpServersOf(config, {})
        } catch (error) {
          expect(ToolwireError.is(error) && error.code).toBe('misuse')
        }
      }
    }),
  )
})

test.each([
  ['npx -y  server /a', ['npx', '-y', 'server', '/a']],
  [`x "a b" 'c "d"' e\\ f`, ['x', 'a b', 'c "d"', 'e f']],
  [`x "say \\"hi\\"" '' a"b"'c'`, ['x', 'say "hi"', '', 'abc']],
  ['  ', []],
])('the words of %j', (text, words) => {
  expect(commandWords(text)).toEqual(words)
})

test('words in quotes come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `"${word.replace(/(["\\])/g, '\\$1')}"`).join(' ')
      expect(commandWords(line)).toEqual(words)
    }),
  )
})

test('a quote that is never closed is misuse', () => {
  expect(() => commandWords('a "b')).toThrow('never closed')
})

test('a file that is missing or no JSON is misuse that names it', async () => {
  const terminal = createTerminal({ write: () => true, once: () => {} }, { write: () => true, once: () => {} }, {})
  for (const file of ['no-such-file.json', 'README.md']) {
    const opening = openMcpServers({ mcpConfig: [join(root, file)] }, new ToolRegistry(), terminal)
    await expect(opening).rejects.toMatchObject({ code: 'misuse', message: expect.stringContaining(file) as string })
  }
})

test('a server is called after what it runs', () => {
  expect(serverOf('npx -y @modelcontextprotocol/server-filesystem .', {})[0]).toBe('server-filesystem')
  expect(serverOf('/opt/bin/my-server --fast', {})).toEqual([
    'my-server',
    { command: '/opt/bin/my-server', args: ['--fast'] },
  ])
  expect(serverOf('~/server', { HOME: '/home/me' })[1]).toMatchObject({ command: '/home/me/server' })
  expect(serverOf('http://127.0.0.1:3001/mcp', {})).toEqual(['127.0.0.1:3001', { url: 'http://127.0.0.1:3001/mcp' }])
})
