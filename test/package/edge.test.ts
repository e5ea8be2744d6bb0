// The root door where there is neither Node nor code from strings, as on edge runtimes: one bundle of the build, run with the
// globals of the web alone.
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { providerServer } from '../../src/testing/index.js'
import { root } from '../layers/source.js'

/** What every web-standard runtime has besides the language. No `process`, no `Buffer`, no `require`. */
const webGlobals = {
  ...{
    AbortController,
    AbortSignal,
    DOMException,
    Headers,
    ReadableStream,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
  },
  ...{ URL, URLSearchParams, atob, btoa, clearTimeout, crypto, fetch, performance, queueMicrotask, setTimeout },
  ...{ structuredClone },
}
const program = `
import * as door from 'toolwire'
const { compatible, run, tool } = door
export const names = Object.keys(door)
export async function converse(wire, baseUrl) {
  const ran = []
  const find = tool({
    name: 'find',
    description: 'Finds an order',
    input: { type: 'object', properties: { order: { type: 'string', pattern: '^[A-Z][0-9]+$' } }, required: ['order'] },
    execute: ({ order }) => { ran.push(order); return 'sent' },
  })
  const model = compatible({ wire, model: 'any', baseUrl, apiKey: 'none' })
  let text = ''
  for await (const event of run.stream({ model, tools: [find], prompt: 'Where is A1?' })) {
    if (event.type === 'text_delta') text += event.text
    if (event.type === 'done') return JSON.stringify({ text, ran, stop: event.result.stop })
  }
}`

interface Door {
  readonly names: readonly string[]
  converse(wire: string, baseUrl: string): Promise<string>
}
let bundle = ''
let context: ReturnType<typeof createContext>
let door: Door

beforeAll(async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: program, resolveDir: root },
    bundle: true,
    minify: true, // without its comments
    write: false,
    format: 'iife',
    globalName: 'door',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'browser'],
    logLevel: 'silent',
  })
  bundle = outputFiles[0]?.text ?? ''
  context = createContext({ ...webGlobals }, { codeGeneration: { strings: false, wasm: false } })
  door = runInContext(`${bundle}; door`, context) as Door
})

test('the bundle asks for no module and makes no code from strings', () => {
  expect(bundle.length).toBeGreaterThan(100_000)
  expect(bundle.match(/["']node:.*?["']|\brequire\(|\bimport\(/g)).toBe(null)
  expect(bundle.match(/\beval\(|\bnew Function\b|[^.\w]Function\(/g)).toBe(null)
})

test('the whole door is there, and the place has neither Node nor code from strings', () => {
  expect(door.names.length).toBeGreaterThan(50)
  expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(Array(3).fill('undefined'))
  expect(() => runInContext('new Function("return 1")', context)).toThrow(/Code generation from strings/)
})

test.each(wires)('%s: a streamed conversation with a tool, its arguments checked', async (wire) => {
  await using server = await providerServer({
    strict: true,
    script: [
      {
        calls: [
          { name: 'find', args: { order: 'A1' } },
          { name: 'find', args: { order: 'a' } },
        ],
      },
      'A1 is on its way.',
    ],
  })
  const told = JSON.parse(await door.converse(wire, server.url)) as unknown
  expect(told).toEqual({ text: 'A1 is on its way.', ran: ['A1'], stop: { reason: 'answer' } })
  expect(server.requests.map(({ stream }) => stream)).toEqual([true, true])
  expect(JSON.stringify(server.requests[1]?.request.messages)).toContain('/order')
})
