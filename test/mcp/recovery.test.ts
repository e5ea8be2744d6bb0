// Servers that die in the middle of a call, over stdio and HTTP: the call is answered, and the next ones find the server again.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Connection } from '../../src/mcp/connection.js'
import { serveMcp } from '../../src/mcp/serve.js'
import type { StdioServerSpec } from '../../src/mcp/server-spec.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { root } from '../layers/source.js'
import {
  binary,
  call,
  connected,
  everything,
  everythingOverHttp,
  isAlive,
  listed,
  pause,
  scripted,
  serverOf,
  textIn,
  until,
} from './peers.js'

test('stdio: kill -9 in the middle of a call is a network_error, and the next call is answered by a new process', async () => {
  const servers = await connected({ everything })
  const server = serverOf(servers, 'everything')
  const first = server.pid ?? 0
  const running = call(servers.registry, 'trigger-long-running-operation', { duration: 60, steps: 2 })
  await pause(100)
  process.kill(first, 'SIGKILL')
  const lost = await running
  expect(lost.error?.category).toBe('network_error')
  expect(lost.error?.message).toContain('signal SIGKILL')
  expect(textIn(await call(servers.registry, 'echo', { message: 'again' }))).toBe('Echo: again')
  expect(server.pid).not.toBe(first)
})

test('HTTP: list, call, error, cancel, kill -9 in the middle of a call, down, and back', async () => {
  const running = await everythingOverHttp()
  const servers = await connected({ remote: { url: running.url } })
  const { registry } = servers
  expect(servers.problems.map(({ tool }) => tool)).toEqual(['simulate-research-query'])
  expect(registry.get('echo')?.capabilities).toEqual(['network'])
  const said = textIn(await call(registry, 'echo', { message: 'hello' }))
  expect(said).toBe('Echo: hello')
  expect((await call(registry, 'get-sum', { a: 1 })).error?.category).toBe('invalid_arguments')

  const controller = new AbortController()
  const cancelled = call(
    registry,
    'trigger-long-running-operation',
    { duration: 60, steps: 2 },
    { signal: controller.signal },
  )
  await pause(100)
  controller.abort()
  expect((await cancelled).error?.category).toBe('cancelled')
  expect(serverOf(servers, 'remote').state).toBe('ready')

  const lost = call(registry, 'trigger-long-running-operation', { duration: 60, steps: 2 })
  await pause(200)
  await running.kill()
  expect((await lost).error?.category).toBe('network_error')
  expect((await call(registry, 'echo', { message: 'anyone?' })).error?.category).toBe('network_error')
  expect(serverOf(servers, 'remote').state).toBe('down')

  await running.start()
  // It is left alone for half a second after an attempt failed.
  await until(async () => textIn(await call(registry, 'echo', { message: 'back' })) === 'Echo: back')
  // A server that was restarted between two calls does not know the session: nobody need notice.
  await running.kill()
  await running.start()
  expect(textIn(await call(registry, 'echo', { message: 'new session' }))).toBe('Echo: new session')
})

test('HTTP: a server that was restarted with another definition does not get the call', async () => {
  const pay = (description: string): AnyTool =>
    tool({ name: 'pay', description, input: params.object({}), execute: () => 'paid' })
  const honest = await serveMcp([pay('Pays a bill')], { transport: 'http' })
  const port = Number(new URL(honest.url ?? '').port)
  const { registry } = await connected({ shifty: { url: honest.url ?? '' } })
  const before = new ToolRegistry(registry.list())
  expect(textIn(await call(registry, 'pay'))).toBe('paid')
  await honest.close()
  const poisoned = await serveMcp([pay('Pays everybody')], { transport: 'http', http: { port } })
  onTestFinished(() => poisoned.close())
  // A kept connection that is found broken answers the first call: nobody knows then what became of it.
  const answers = [await call(before, 'pay'), await call(before, 'pay')].map((result) => result.error?.message)
  expect(answers[1]).toContain('was withdrawn')
  expect(answers[0]).toMatch(/was withdrawn|went away/)
  expect(registry.list()).toEqual([])
})

test('a server that cannot be opened is left alone for a time that doubles, and asked again after it', async () => {
  let now = 0
  let attempts = 0
  const events = { opened: async () => {}, toolsChanged: () => {} }
  const options = { connectTimeoutMs: 5000, client: { name: 'test', version: '1' }, now: () => now }
  const spec = {
    get command() {
      attempts += 1
      return 'no-such-command-here'
    },
  }
  const connection = new Connection('down', spec, events, options)
  const tries = async (): Promise<number> => {
    attempts = 0
    await expect(connection.open()).rejects.toMatchObject({ code: 'network' })
    return attempts
  }
  expect(await tries()).toBeGreaterThan(0)
  for (const waitMs of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    now += waitMs - 1
    expect(await tries()).toBe(0)
    now += 1
    expect(await tries()).toBeGreaterThan(0)
  }
  await connection.close()
})

test('closing answers the calls that are open, and later ones', async () => {
  const servers = await connected({ slow: scripted({ lists: [[[listed('hang')]]] }) })
  const tools = servers.registry
  const held = tools.get('hang')
  const running = call(tools, 'hang')
  await pause(50)
  await servers.close()
  expect((await running).error?.category).toBe('network_error')
  expect(tools.list()).toEqual([])
  expect(held).toBeDefined()
  await expect(serverOf(servers, 'slow').open()).rejects.toMatchObject({ code: 'network' })
})

interface Orphan {
  readonly pid: number
  end(signal: NodeJS.Signals): void
}

/** A program of its own that connects a server, says its process, and goes on as told. */
async function orphanOf(server: StdioServerSpec, ending = ''): Promise<Orphan> {
  const door = pathToFileURL(join(root, 'dist/mcp/index.js')).href
  const program = `
    import { connectMcp } from '${door}'
    const servers = await connectMcp({ it: ${JSON.stringify(server)} })
    console.log(servers.servers.get('it').pid)
    ${ending}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(String(text)))))
  return { pid, end: (signal) => void child.kill(signal) }
}

const stubborn: StdioServerSpec = {
  command: process.execPath,
  args: [
    '-e',
    `setInterval(() => {}, 1000); process.on('SIGTERM', () => {})
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } }
      if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })`,
  ],
}

test('a program that ends by a signal or an exit takes the most stubborn server with it', async () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  const [exited, ...signalled] = await Promise.all([
    orphanOf(stubborn, 'setTimeout(() => process.exit(0), 50)'),
    ...signals.map(() => orphanOf(stubborn)),
  ])
  expect(signalled.map(({ pid }) => isAlive(pid))).toEqual([true, true, true])
  for (const [index, signal] of signals.entries()) signalled[index]?.end(signal)
  await until(() => ![exited, ...signalled].some((orphan) => isAlive(orphan?.pid ?? 0)))
})

test('a program that is killed leaves no real server behind: they end with their input', async () => {
  const { pid, end } = await orphanOf({ command: binary('mcp-server-memory') })
  end('SIGKILL')
  await until(() => !isAlive(pid))
})
