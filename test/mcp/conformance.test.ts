// The conformance suite of the Model Context Protocol against our server and our client. Both offer tools and nothing else, so that only
// the scenarios about tools and the transport count; the others are listed as not offered.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import { serveMcp } from '../../src/mcp/serve.js'
import { importTool } from '../../src/tools/import-tool.js'
import type { AnyTool } from '../../src/tools/tool.js'

const run = promisify(execFile)
const source = (path: string): string => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))
const suite = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)

/** What the suite asks of a server with tools. */
const serverScenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]
const clientScenarios = ['initialize', 'tools_call', 'sse-retry']

const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
const resource = { type: 'resource', resource: { uri: 'test://resource', mimeType: 'text/plain', text: 'A resource' } }

function toolOf(name: string, execute: AnyTool['execute'], inputSchema: object = { type: 'object' }): AnyTool {
  return importTool({ name, description: `Does what ${name} asks`, inputSchema }, { execute }).tool
}

const tools: readonly AnyTool[] = [
  toolOf('test_simple_text', () => 'This is a simple text response for testing.'),
  toolOf('test_image_content', () => ({ content: [image] })),
  toolOf('test_audio_content', () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] })),
  toolOf('test_embedded_resource', () => ({ content: [resource] })),
  toolOf('test_multiple_content_types', () => ({ content: [{ type: 'text', text: 'Several' }, image, resource] })),
  toolOf('test_error_handling', () => {
    throw new ToolExecutionError('resource_not_found', 'This tool intentionally returns an error for testing')
  }),
  toolOf('test_tool_with_progress', (_input, { progress }) => {
    for (const done of [0, 50, 100]) progress?.({ progress: done, total: 100 })
    return 'done'
  }),
  toolOf('json_schema_2020_12_tool', () => 'checked', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }),
]

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

let folder = ''
beforeAll(async () => {
  // Inside the repository, where the client finds the packages it imports.
  const parent = fileURLToPath(new URL('../../.tmp/', import.meta.url))
  await mkdir(parent, { recursive: true })
  folder = await mkdtemp(join(parent, 'conformance-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the suite. Its exit code says little: the checks are read from what it wrote. */
async function results(...args: readonly string[]): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = await mkdtemp(join(folder, 'run-'))
  await run(process.execPath, [suite, ...args, '-o', output], { timeout: 60_000 }).catch(() => undefined)
  const found = new Map<string, readonly Check[]>()
  for (const name of await readdir(output)) {
    const checks = JSON.parse(await readFile(join(output, name, 'checks.json'), 'utf8')) as readonly Check[]
    found.set(name.replace(/^server-(?=.*-\d{4}-)/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''), checks)
  }
  return found
}

const failed = (checks: readonly Check[] | undefined): unknown =>
  checks?.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage }) => `${id}: ${errorMessage}`)

describe('the conformance suite of the Model Context Protocol', () => {
  test('our server passes the scenarios of tools', { timeout: 90_000 }, async () => {
    const service = await serveMcp(tools, { transport: 'http' })
    try {
      const found = await results('server', '--suite', 'all', '--url', String(service.url))
      const outcome = Object.fromEntries(serverScenarios.map((name) => [name, failed(found.get(name))]))
      expect(outcome).toEqual(Object.fromEntries(serverScenarios.map((name) => [name, []])))
    } finally {
      await service.close()
    }
  })

  test('our client passes the scenarios of tools', { timeout: 90_000 }, async () => {
    const client = join(folder, 'client.mjs')
    await build({
      stdin: { contents: clientSource, resolveDir: source(''), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '#sha256': source('json/sha256-node.ts'), '#transport': source('transport/node.ts') },
      outfile: client,
    })
    const outcome: { [name: string]: unknown } = {}
    const checksOf = async (scenario: string): Promise<unknown> => {
      const found = await results('client', '--command', `${process.execPath} ${client}`, '--scenario', scenario)
      return failed([...found.values()][0])
    }
    for (const scenario of clientScenarios) {
      outcome[scenario] = await checksOf(scenario)
      // It measures how late a connection is opened again: on a busy machine once more.
      if (String(outcome[scenario]).startsWith('client-sse-retry-timing')) outcome[scenario] = await checksOf(scenario)
    }
    expect(outcome).toEqual(Object.fromEntries(clientScenarios.map((name) => [name, []])))
  })
})

/** Connects, lists the tools, and calls each of them once. */
const clientSource = `
import { connectMcp } from './mcp/index.js'
const servers = await connectMcp({ suite: { url: process.argv[2] } })
for (const { tool } of servers.servers.get('suite').tools) {
  await tool.execute({ a: 2, b: 3 }, { signal: new AbortController().signal })
}
await servers.close()
`
