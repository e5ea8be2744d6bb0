import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemoTools } from '../../src/cli/demo-tools.js'
import { textOf } from '../../src/conversation/messages.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import type { AnyTool } from '../../src/tools/tool.js'

let place = ''
let root = ''
let server: Server
let host = ''

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'toolwire-demo-'))
  root = join(place, 'project')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(join(place, 'project-secrets'))
  await writeFile(join(place, 'secret.txt'), 'top secret')
  await writeFile(join(place, 'project-secrets', 'key.txt'), 'top secret')
  await writeFile(join(root, 'package.json'), '{"version":"1.2.3"}')
  await writeFile(join(root, 'src', 'a.ts'), 'export {}')
  await writeFile(join(root, 'image.bin'), Buffer.from([1, 0, 2]))
  await writeFile(join(root, 'long.txt'), 'ä'.repeat(200_000))
  await symlink(join(place, 'secret.txt'), join(root, 'link.txt'))
  await symlink(place, join(root, 'up'))
  await symlink(join(root, 'package.json'), join(root, 'inner.json'))
  server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://other.example/' }).end()
    else if (request.url === '/here') response.writeHead(302, { location: '/data' }).end()
    else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (request.url === '/big') response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(500_000))
    else if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('x')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await new Promise((done) => server.close(done))
  await rm(place, { recursive: true })
})

async function ask(tools: readonly AnyTool[], name: string, args: object): Promise<{ failed?: string; text: string }> {
  const call = { type: 'tool_call' as const, id: 'call_1', name, arguments: JSON.stringify(args) }
  const [result] = await executeToolCalls([call], tools)
  const text = textOf(result?.content ?? [])
  return result?.error === undefined ? { text } : { failed: result.error.category, text }
}
const here = (): readonly AnyTool[] => createDemoTools({ root, now: () => 0, allowedHosts: [host] })

test('read_file reads text below the root, also through a link that stays there', async () => {
  expect(await ask(here(), 'read_file', { path: 'package.json' })).toEqual({ text: '{"version":"1.2.3"}' })
  expect(await ask(here(), 'read_file', { path: './src/../src/a.ts' })).toEqual({ text: 'export {}' })
  expect(await ask(here(), 'read_file', { path: 'inner.json' })).toEqual({ text: '{"version":"1.2.3"}' })
  expect(await ask(here(), 'read_file', { path: join(root, 'package.json') })).toEqual({ text: '{"version":"1.2.3"}' })
})

test.each([
  '../secret.txt',
  'link.txt',
  'up/secret.txt',
  '/etc/hostname',
  '../project-secrets/key.txt',
  'src/../../secret.txt',
])('read_file refuses %s', async (path) => {
  const answer = await ask(here(), 'read_file', { path })
  expect(answer.failed).toBe('permission_denied')
  expect(answer.text).not.toContain('top secret')
  expect(answer.text).not.toContain(place)
})

test.each([
  ['missing.txt', 'resource_not_found'],
  ['package.json/x', 'resource_not_found'],
  ['src', 'invalid_arguments'],
  ['image.bin', 'invalid_arguments'],
  ['', 'invalid_arguments'],
])('read_file of "%s" fails as %s', async (path, category) => {
  const answer = await ask(here(), 'read_file', { path })
  expect(answer.failed).toBe(category)
  expect(answer.text).not.toContain(place)
})

test('a long file is cut and says so, without half a character', async () => {
  const { text } = await ask([...here()], 'read_file', { path: 'long.txt' })
  expect(text).not.toContain('\ufffd')
  expect(text.length).toBeLessThan(140_000)
})

test('list_files names files and folders, and nothing outside', async () => {
  expect(await ask(here(), 'list_files', {})).toEqual({
    text: '["image.bin","inner.json","link.txt","long.txt","package.json","src/","up"]',
  })
  expect(await ask(here(), 'list_files', { path: 'src' })).toEqual({ text: '["a.ts"]' })
  expect((await ask(here(), 'list_files', { path: '..' })).failed).toBe('permission_denied')
  expect((await ask(here(), 'list_files', { path: 'up' })).failed).toBe('permission_denied')
  expect((await ask(here(), 'list_files', { path: 'package.json' })).failed).toBe('resource_not_found')
})

test('http_get asks no host unless it is named', async () => {
  const off = createDemoTools({ root })
  expect((await ask(off, 'http_get', { url: `http://${host}/data` })).failed).toBe('permission_denied')
  expect((await ask(here(), 'http_get', { url: 'http://other.example/' })).failed).toBe('permission_denied')
  expect((await ask(here(), 'http_get', { url: `http://${host}@other.example/` })).failed).toBe('invalid_arguments')
  expect((await ask(here(), 'http_get', { url: 'file:///etc/hostname' })).failed).toBe('invalid_arguments')
})

test('http_get gives status, type and text', async () => {
  const { text } = await ask(here(), 'http_get', { url: `http://${host}/here` })
  expect(JSON.parse(text)).toEqual({ status: 200, contentType: 'application/json', body: '{"ok":true}' })
})

test('http_get follows no redirect to another host, and no circle', async () => {
  expect((await ask(here(), 'http_get', { url: `http://${host}/away` })).failed).toBe('permission_denied')
  expect((await ask(here(), 'http_get', { url: `http://${host}/loop` })).failed).toBe('network_error')
})

test('http_get cuts long pages and leaves out what is no text', async () => {
  const executed = await ask(here(), 'http_get', { url: `http://${host}/image` })
  expect(executed.text).toContain('[not text: image/png]')
  const [, , , , get] = here()
  const context = {
    signal: new AbortController().signal,
    call: { type: 'tool_call', id: 'a', name: 'a', arguments: '{}' },
  }
  const page: unknown = await get?.execute({ url: `http://${host}/big` }, {
    ...context,
    idempotencyKey: '',
    runId: '',
    turn: 0,
  } as never)
  expect((page as { body: string }).body).toHaveLength(262_144 + '\n[cut after 262144 bytes]'.length)
})

test('the tools declare what they touch', () => {
  expect(here().map((tool) => [tool.name, tool.capabilities])).toEqual([
    ['clock', []],
    ['calculator', []],
    ['read_file', ['filesystem']],
    ['list_files', ['filesystem']],
    ['http_get', ['network']],
  ])
})
