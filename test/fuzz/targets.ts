// What is fuzzed: reading on one wire, then writing what was read on every wire. Only typed errors may come out.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import type { Wire } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import { isTooDeep } from '../../src/json/scan.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { randomness } from './randomness.js'
import type { Kind } from './seeds.js'

export interface Input {
  readonly wire: Wire
  readonly kind: Kind
  readonly bytes: Buffer
  /** Decides what is random inside a target: splits, statuses. */
  readonly seed: number
}

const slowMs = 1000
const smallBytes = 100_000
const all = Object.values(codecs)
const prototypes = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Function.prototype]
const untouched = prototypes.map((prototype) => Reflect.ownKeys(prototype).length)

/** What is wrong with how this input was taken, or nothing. */
export function faultOf(input: Input): string | undefined {
  const started = performance.now()
  try {
    targets[input.kind](input)
  } catch (error) {
    return `untyped throw: ${error instanceof Error ? error.stack : String(error)}`
  }
  if (prototypes.some((prototype, index) => Reflect.ownKeys(prototype).length !== untouched[index]))
    return 'a prototype was changed'
  const elapsed = performance.now() - started
  if (input.bytes.length <= smallBytes && elapsed > slowMs && isSlowAgain(input))
    return `took ${Math.round(elapsed)} ms`
  return undefined
}

/** A busy machine is slow once; a bad input is slow every time. */
function isSlowAgain(input: Input): boolean {
  const started = process.cpuUsage()
  targets[input.kind](input)
  return process.cpuUsage(started).user / 1000 > slowMs
}

function envOf(codec: Codec): Env {
  return { profile: profileOf(codec), createdSeconds: 1_794_700_000, deltas: true }
}

function exchangeOf(codec: Codec, stream: boolean): Exchange {
  return { wire: codec.wire, model: 'm-1', stream }
}

/** Runs what may refuse its input with a typed error. */
function allowed<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (ToolwireError.is(error)) return undefined
    throw error
  }
}

const targets: Readonly<Record<Kind, (input: Input) => void>> = {
  request({ wire, bytes, seed }) {
    const codec = codecs[wire]
    const http = {
      method: 'POST',
      path: paths[wire],
      headers: {},
      body: seed % 2 === 0 ? bytes : bytes.toString('utf8'),
    }
    const read = allowed(() => codec.request.decode(http, envOf(codec)))
    if (read === undefined) return
    for (const target of all) {
      const env = envOf(target)
      const sent = allowed(() => target.request.encode(read.request, { stream: seed % 3 === 0 }, env))
      if (sent === undefined) continue
      // A value near the depth limit can come to lie deeper on another wire: then a reader refuses it. Nothing else is refused.
      if (isTooDeep(bodyText(sent.http.body))) allowed(() => target.request.decode(sent.http, env))
      else target.request.decode(sent.http, env)
    }
  },
  response({ wire, bytes, seed }) {
    const codec = codecs[wire]
    const http = { status: seed % 5 === 0 ? 500 : 200, headers: {}, body: bytes.toString('utf8') }
    answered(codec.response.decode(http, exchangeOf(codec, false), envOf(codec)))
  },
  stream({ wire, bytes, seed }) {
    const codec = codecs[wire]
    const random = randomness(seed)
    const machine = codec.stream.decode(exchangeOf(codec, true), { ...envOf(codec), deltas: seed % 2 === 0 })
    const events: CompletionEvent[] = []
    for (let from = 0; from < bytes.length; ) {
      const to = from + 1 + random.below(random.pick([2, 30, 3000]))
      events.push(...machine.push(bytes.subarray(from, to)))
      from = to
    }
    events.push(...machine.end())
    answered(events)
  },
  error({ wire, bytes, seed }) {
    const random = randomness(seed)
    const status = random.pick([200, 400, 401, 403, 404, 408, 413, 429, 500, 503, 529, 600])
    const headers = { 'retry-after': random.pick(['1', '-5', 'soon', '1e9', '']), 'content-type': 'application/json' }
    const error = codecs[wire].error.decode({ status, headers, body: bytes.toString('utf8') })
    if (!ToolwireError.is(error)) throw new TypeError('error.decode gave no typed error')
    for (const target of all) target.error.decode(target.error.encode(error, exchangeOf(target, false)))
  },
}

const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/m-1:streamGenerateContent?alt=sse',
}

/** An answer as read: it ends in a finish or in a typed error, and can be written on every wire. */
function answered(events: readonly CompletionEvent[]): void {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  const { response, error } = folder.done()
  if (error !== undefined && !ToolwireError.is(error)) throw new TypeError('an untyped error among the events')
  if (error === undefined && !events.some((event) => event.type === 'finish')) {
    throw new TypeError('the answer neither finished nor failed')
  }
  JSON.stringify(response)
  for (const target of all) {
    const env = envOf(target)
    allowed(() => target.response.encode(response, exchangeOf(target, false), env))
    const machine = target.stream.encode(exchangeOf(target, true), env)
    for (const event of events) machine.push(event)
    machine.end()
  }
}
