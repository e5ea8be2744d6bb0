// The bytes of a provider, cut anywhere, on every wire: what arrives in part is an error, never a value.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyBytes } from '../../src/frames/body.js'
import { generate } from '../../src/generate/generate.js'
import type { Rung } from '../../src/generate/plan.js'
import { compatible } from '../../src/model/factories.js'
import type { Model } from '../../src/model/model.js'
import { completionReply } from '../../src/testing/provider-completion.js'
import { createSigner } from '../../src/testing/provider-signatures.js'
import type { ServerState } from '../../src/testing/provider-state.js'
import { createThreads } from '../../src/testing/provider-threads.js'
import type { Turn } from '../../src/testing/scripted-turn.js'
import { createStoredResponses } from '../../src/testing/stored-responses.js'
import type { Transport, TransportResponse } from '../../src/transport/transport.js'
import { routeOf } from '../../src/wire/routes.js'

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
} as const
const text = '{"n":1}'
const value = { n: 1 }

/** What must have arrived before a stream may count as whole. A whole body counts when its last byte is there. */
const terminals: Readonly<Record<Wire, string>> = {
  'openai-chat': '"finish_reason":"',
  'openai-responses': '"type":"response.completed"',
  anthropic: '"stop_reason":"',
  ollama: '"done":true',
  gemini: '"finishReason":"',
}
const wires = Object.keys(terminals) as Wire[]
const rungs: readonly [Rung, Turn][] = [
  ['native', text],
  ['submit_tool', { calls: [{ name: 'submit_response', args: text }] }],
]

interface CutModel {
  readonly model: Model
  /** Answers from now on end at this byte. */
  readonly cutAt: (byte: number) => void
  /** The answer that was not cut. */
  readonly whole: () => string
}

/** A model over what the provider server would send, without a socket. The answer is made once: every call gets the same bytes. */
function cutModel(wire: Wire, turn: Turn): CutModel {
  const options = { strict: true, script: () => turn }
  const state: ServerState = {
    options,
    requests: [],
    signer: createSigner(),
    threads: createThreads(),
    stored: createStoredResponses(),
    turns: 0,
  }
  let answer: { readonly status: number; readonly headers: TransportResponse['headers'] } | undefined
  let whole = new Uint8Array()
  let end = Number.POSITIVE_INFINITY
  const transport: Transport = async ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url)
    // What the server could say of the model is not asked here.
    if (routeOf(method, pathname).kind !== 'completion')
      return { status: 404, headers: {}, body: once(new Uint8Array()) }
    if (answer === undefined) {
      const text = new TextDecoder().decode(body === undefined ? undefined : bodyBytes(body))
      const reply = await completionReply(state, wire, { method, path: pathname + search, headers, body: text })
      answer = reply
      whole = new TextEncoder().encode([...reply.frames].join(''))
    }
    return { ...answer, body: once(whole.subarray(0, end)) }
  }
  return {
    model: compatible({ wire, model: 'm-1', baseUrl: 'http://provider.test', apiKey: 'k', retries: 0, transport }),
    cutAt: (byte) => {
      end = byte
    },
    whole: () => new TextDecoder().decode(whole),
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Where to cut: at every byte with CUTS=all (`npm run generate:cuts`), else at every byte near the end, where the terminal marker is,
 * and at some before it.
 */
function* cuts(length: number, step: number): Generator<number> {
  const isWhole = process.env.CUTS === 'all'
  for (let byte = 0; byte < length; byte += isWhole || byte > length - 120 ? 1 : step) yield byte
}

async function outcome(promise: PromiseLike<{ readonly value: unknown }>): Promise<unknown> {
  try {
    return (await promise).value
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    return error.code
  }
}

describe.each(wires)('%s', (wire) => {
  test.each(rungs)('a stream cut at any byte gives no value before its terminal marker: %s', async (rung, turn) => {
    const { model, cutAt, whole } = cutModel(wire, turn)
    const ask = (): Promise<unknown> => outcome(generate.stream({ model, schema, prompt: 'n?', rung }))
    expect(await ask()).toEqual(value)
    const bytes = whole()
    const terminal = bytes.lastIndexOf(terminals[wire])
    expect(terminal).toBeGreaterThan(0)
    const values: number[] = []
    for (const byte of cuts(bytes.length, rung === 'native' ? 5 : 13)) {
      cutAt(byte)
      const given = await ask()
      if (given === 'truncated') continue
      expect(given, `cut at ${byte}: ${bytes.slice(0, byte)}`).toEqual(value)
      values.push(byte)
    }
    expect(values.every((byte) => byte > terminal)).toBe(true)
  })

  test.each(rungs)('a body cut at any byte gives no value: %s', async (rung, turn) => {
    const { model, cutAt, whole } = cutModel(wire, turn)
    const ask = (): Promise<unknown> => outcome(generate({ model, schema, prompt: 'n?', rung }))
    expect(await ask()).toEqual(value)
    const bytes = whole()
    for (const byte of cuts(bytes.trimEnd().length, 13)) {
      cutAt(byte)
      expect(await ask(), `cut at ${byte}`).toMatch(/^(?:truncated|malformed_response)$/)
    }
  })
})
