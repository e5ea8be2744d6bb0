// The official reference servers over stdio: what they list, answer, refuse and report arrives as it should.
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectMcp, type McpServers } from '../../src/mcp/connect.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import type { ToolProgress } from '../../src/tools/tool.js'
import { temporaryFolder } from '../cli/command.js'
import { binary, call, connected, everything, pause, serverOf, textIn } from './peers.js'

/** One everything server serves all tests about it; the key is one that no server may see. */
let shared: McpServers
beforeAll(async () => {
  process.env.TOOLWIRE_TEST_KEY = 'sk-not-for-servers'
  shared = await connectMcp({ everything: { ...everything, env: { GIVEN: 'yes' } } })
})
afterAll(async () => {
  delete process.env.TOOLWIRE_TEST_KEY
  await shared.close()
})

test('everything: tools of each kind answer, and the one that needs tasks is reported by name', async () => {
  const { registry } = shared
  expect(shared.problems.map(({ server, tool }) => [server, tool])).toEqual([['everything', 'simulate-research-query']])
  expect(textIn(await call(registry, 'echo', { message: 'hello' }))).toBe('Echo: hello')
  expect(textIn(await call(registry, 'get-sum', { a: 2, b: 40 }))).toBe('The sum of 2 and 40 is 42.')

  const structured = await call(registry, 'get-structured-content', { location: 'Chicago' })
  expect(structured.artifacts?.structuredContent).toEqual(JSON.parse(textIn(structured)))

  const image = await call(registry, 'get-tiny-image')
  expect(image.content.map((part) => part.type)).toEqual(['text', 'image'])
  expect(image.content[1]).toMatchObject({ mediaType: 'image/png' })

  const links = await call(registry, 'get-resource-links', { count: 2 })
  expect(links.isError).toBe(false)
  expect(links.artifacts?.content).toHaveLength(2)
})

test('everything: its instructions, resources and their contents can be used as context', async () => {
  const server = serverOf(shared, 'everything')
  expect(server.instructions).toContain('Everything')
  const resources = await server.resources()
  expect(resources.length).toBeGreaterThan(3)
  const [first] = resources
  expect(await server.readResource(first?.uri ?? '')).toMatchObject([{ type: 'text' }])
  expect(await server.readResource('demo://resource/dynamic/blob/1')).toMatchObject([{ type: 'file' }])
  await expect(server.readResource('demo://nowhere')).rejects.toMatchObject({ code: 'not_found' })
})

test('everything: progress reaches whoever listens', async () => {
  const { registry } = shared
  const told: ToolProgress[] = []
  const result = await call(
    registry,
    'trigger-long-running-operation',
    { duration: 0.3, steps: 3 },
    { onProgress: (_call, update) => told.push(update) },
  )
  expect(result.isError).toBe(false)
  expect(told[0]).toEqual({ progress: 1, total: 3 })
})

test('everything: bad arguments are told before the call, and by the server as invalid_arguments', async () => {
  const { registry } = shared
  const early = await call(registry, 'get-sum', { a: 'one', b: 2 })
  expect(early.error).toMatchObject({ category: 'invalid_arguments' })
  const tool = registry.get('get-sum')
  const unchecked = {
    get: () => tool && { ...tool, checkInput: (value: unknown) => ({ ok: true as const, value }) },
    list: () => [],
  }
  const [late] = await executeToolCalls(
    [{ type: 'tool_call', id: '1', name: 'get-sum', arguments: '{"a":"one"}' }],
    unchecked,
    { policy: { shell: 'allow' } },
  )
  expect(late?.error?.category).toBe('invalid_arguments')
  expect(late?.error?.message).toContain('-32602')
})

test('everything: an aborted call is cancelled, and the server goes on to answer others', async () => {
  const { registry } = shared
  const { pid } = serverOf(shared, 'everything')
  const controller = new AbortController()
  const running = call(
    registry,
    'trigger-long-running-operation',
    { duration: 60, steps: 2 },
    { signal: controller.signal },
  )
  await pause(100)
  controller.abort()
  expect((await running).error?.category).toBe('cancelled')
  expect(textIn(await call(registry, 'echo', { message: 'still here' }))).toBe('Echo: still here')
  expect(serverOf(shared, 'everything').pid).toBe(pid)
})

test('everything: a tool that takes too long is answered execution_timeout', async () => {
  const { registry } = await connected({ everything: { ...everything, timeoutMs: 200 } })
  const result = await call(registry, 'trigger-long-running-operation', { duration: 60, steps: 2 })
  expect(result.error?.category).toBe('execution_timeout')
})

test('everything: the server sees what was given to it and no other variable of this process', async () => {
  const { registry } = shared
  const seen = textIn(await call(registry, 'get-env'))
  expect(seen).toContain('"GIVEN": "yes"')
  expect(seen).not.toContain('TOOLWIRE_TEST_KEY')
  const names = Object.keys(JSON.parse(seen) as object)
  expect(names.filter((name) => !['GIVEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'].includes(name))).toEqual(
    [],
  )
})

test('filesystem: reads, lists, writes, and refuses what lies outside', async () => {
  const folder = realpathSync(temporaryFolder())
  writeFileSync(join(folder, 'notes.txt'), 'marmalade')
  const servers = await connected({ files: { command: binary('mcp-server-filesystem'), args: [folder] } })
  const { registry } = servers
  expect(servers.problems).toEqual([])
  expect(registry.list()).toHaveLength(14)
  expect(textIn(await call(registry, 'read_text_file', { path: join(folder, 'notes.txt') }))).toBe('marmalade')
  expect(textIn(await call(registry, 'list_directory', { path: folder }))).toBe('[FILE] notes.txt')
  const written = await call(registry, 'write_file', { path: join(folder, 'new.txt'), content: 'toast' })
  expect(written.isError).toBe(false)
  expect(textIn(await call(registry, 'read_text_file', { path: join(folder, 'new.txt') }))).toBe('toast')
  const outside = await call(registry, 'read_text_file', { path: '/etc/hostname' })
  expect(outside.isError).toBe(true)
  expect(outside.error?.message).toContain('Access denied')
  const reader = serverOf(servers, 'files').tools.find(({ tool }) => tool.name === 'read_text_file')
  expect(reader?.annotations.readOnlyHint).toBe(true)
})

test('memory: what was stored is found again', async () => {
  const env = { MEMORY_FILE_PATH: join(temporaryFolder(), 'memory.jsonl') }
  const servers = await connected({ memory: { command: binary('mcp-server-memory'), env } })
  const { registry } = servers
  expect(servers.problems).toEqual([])
  const entity = { name: 'Ada', entityType: 'person', observations: ['likes engines'] }
  expect((await call(registry, 'create_entities', { entities: [entity] })).isError).toBe(false)
  const found = await call(registry, 'search_nodes', { query: 'engines' })
  expect(found.artifacts?.structuredContent).toMatchObject({ entities: [entity] })
  expect((await call(registry, 'create_entities', { entities: 'none' })).error?.category).toBe('invalid_arguments')
})

test('sequential-thinking: thoughts are counted over calls', async () => {
  const spec = { command: binary('mcp-server-sequential-thinking') }
  const { registry, problems } = await connected({ thinking: spec })
  expect(problems).toEqual([])
  const thought = { thought: 'first', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true }
  await call(registry, 'sequentialthinking', thought)
  const second = await call(registry, 'sequentialthinking', { ...thought, thought: 'second', thoughtNumber: 2 })
  expect(JSON.parse(textIn(second))).toMatchObject({ thoughtNumber: 2, thoughtHistoryLength: 2 })
})

test('two servers with the same tools: both are there, the second under its qualified names, in the order given', async () => {
  const { registry, problems } = await connected({ one: everything, two: everything })
  expect(problems).toHaveLength(2)
  expect(registry.get('echo')?.source).toBe('one')
  expect(registry.get('two::echo')?.source).toBe('two')
  expect(textIn(await call(registry, 'two::echo', { message: 'hi' }))).toBe('Echo: hi')
  const sources = registry.list().map((tool) => tool.source)
  expect(sources).toEqual(sources.toSorted())
})
