// One recorded exchange from one wire to another, and what became of it.
import { isDeepStrictEqual } from 'node:util'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { applyLosses, type Loss } from '../../src/conversation/losses.js'
import { isCall, type Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { inputTokens, outputTokens } from '../../src/conversation/usage.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { foldAll, streamEvents } from '../streams/streamed.js'
import { factsFor, isDeclared, missing } from './pairs-facts.js'
import { bodyText, problemsOf } from './requests.js'

/**
 * `complete`: everything arrived. `beyond`: all that the target wire has a place for; the rest is declared.
 * `declared`: something else is missing, and a loss says so. `refused`: a typed error. `wrong`: anything else.
 */
export type Verdict = 'complete' | 'beyond' | 'declared' | 'refused' | 'wrong'
export interface Crossing {
  readonly verdict: Verdict
  readonly notes: readonly string[]
}

/** The model a route would put in: a current one of the target. */
export const models: Readonly<Record<Wire, string>> = {
  'openai-chat': 'gpt-6-sol',
  'openai-responses': 'gpt-6-sol',
  anthropic: 'claude-sonnet-5-5',
  ollama: 'qwen3',
  gemini: 'gemini-3-pro',
}

/** The target's own vendor. */
export function targetEnv(codec: Codec): Env {
  const [profile] = Object.values(codec.profiles)
  if (profile === undefined) throw new Error(`${codec.wire} has no profile`)
  return { profile, createdSeconds: 1_794_700_000, deltas: false }
}

/** A decoded request sent to another wire and read there. What its own wire would refuse need not be accepted there either. */
export function requestCrossing(decoded: CompletionRequest, to: Codec, refusedAtHome: boolean): Crossing {
  const request = { ...decoded, model: models[to.wire] }
  const env = targetEnv(to)
  try {
    const sealed = to.seal(request, env)
    const { http, losses, exchange } = to.request.encode(request, { stream: false }, env)
    const arrived = withOwnNames(to.request.decode(http, env).request, exchange)
    const problems = refusedAtHome ? [] : problemsOf(to.wire, JSON.parse(bodyText(http)))
    const executable = losses.filter((loss) => loss.kind !== 'repaired')
    const before = compare(to.wire, request, sealed.request, sealed.losses)
    const after = compare(to.wire, withMappedIds(sealed.request, executable), arrived, executable)
    const undeclared = [...problems, ...before.undeclared, ...after.undeclared]
    if (undeclared.length > 0) return { verdict: 'wrong', notes: undeclared }
    const core = [...before.core, ...after.core]
    if (core.length > 0) return { verdict: 'declared', notes: core }
    const side = [...before.side, ...after.side]
    return { verdict: side.length > 0 ? 'beyond' : 'complete', notes: side }
  } catch (error) {
    if (ToolwireError.is(error)) return { verdict: 'refused', notes: [`${error.code}: ${error.message}`] }
    return { verdict: 'wrong', notes: [String(error)] }
  }
}

interface Comparison {
  readonly core: readonly string[]
  readonly side: readonly string[]
  readonly undeclared: readonly string[]
}

function compare(wire: Wire, sent: CompletionRequest, arrived: CompletionRequest, losses: readonly Loss[]): Comparison {
  const [before, after] = [factsFor(wire, sent), factsFor(wire, arrived)]
  const core = missing(before.core, after.core)
  const side = missing(before.side, after.side)
  const show = (fact: { kind: string; value: string }): string => `${fact.kind}: ${fact.value.slice(0, 120)}`
  const undeclared = [...core, ...side].filter((fact) => !isDeclared(fact, losses)).map((fact) => `lost ${show(fact)}`)
  const invented = missing(
    after.core.filter((fact) => ['tool', 'call', 'result', 'choice', 'output'].includes(fact.kind)),
    before.core,
  )
  const made = invented.filter((fact) => !isDeclared(fact, losses)).map((fact) => `made up ${show(fact)}`)
  return { core: core.map(show), side: side.map(show), undeclared: [...undeclared, ...made] }
}

/** The request with the ids that the wire takes: an id links a call to its result and says nothing else, so both may change. */
function withMappedIds(request: CompletionRequest, losses: readonly Loss[]): CompletionRequest {
  return applyLosses(
    request,
    losses.filter(({ path }) => /^\/messages\/.*\/(id|callId)$/.test(path)),
  )
}

/** The request with the names that its sender uses: where a wire refuses a name, the exchange knows the way back. */
function withOwnNames(request: CompletionRequest, { names }: Exchange): CompletionRequest {
  if (names === undefined || names.size === 0) return request
  const own = (name: string): string => names.get(name) ?? name
  return {
    ...request,
    ...(request.tools && {
      tools: request.tools.map((tool) => (tool.type === 'opaque' ? tool : { ...tool, name: own(tool.name) })),
    }),
    messages: request.messages.map((message) =>
      message.role === 'assistant'
        ? {
            ...message,
            content: message.content.map((part) => (isCall(part) ? { ...part, name: own(part.name) } : part)),
          }
        : message,
    ),
  }
}

/** What a client of the wire would have asked: its server half needs it to answer. */
export function clientExchange(to: Codec, stream: boolean): Exchange {
  const env = targetEnv(to)
  const request = {
    model: models[to.wire],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }],
  }
  return to.request.decode(to.request.encode(request, { stream }, env).http, env).exchange
}

/** A whole answer written on another wire and read there. */
export function translated(
  response: CompletionResponse,
  to: Codec,
): { answer: CompletionResponse; losses: readonly Loss[] } {
  const env = targetEnv(to)
  const exchange = clientExchange(to, false)
  const { http, losses } = to.response.encode(response, exchange, env)
  const { response: answer, error } = foldAll(to.response.decode(http, exchange, env))
  if (error !== undefined) throw error
  return { answer, losses }
}

/** A streamed answer written on another wire event by event and read there. */
export function translatedStream(
  events: readonly CompletionEvent[],
  to: Codec,
): { answer: CompletionResponse; losses: readonly Loss[] } {
  const env = targetEnv(to)
  const exchange = clientExchange(to, true)
  const encoder = to.stream.encode(exchange, env)
  const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
  const { response: answer, error } = foldAll(streamEvents(to, [new TextEncoder().encode(text)], exchange, env))
  if (error !== undefined) throw error
  return { answer, losses: encoder.losses }
}

/** Text, calls, finish and usage of an answer on another wire, against what was sent. */
export function answerCrossing(
  sent: CompletionResponse,
  arrive: () => { answer: CompletionResponse; losses: readonly Loss[] },
): Crossing {
  try {
    const { answer, losses } = arrive()
    const before = essentials(sent)
    const after = essentials(answer)
    const lost = (Object.keys(before) as (keyof typeof before)[]).filter(
      (key) => before[key] !== undefined && !isDeepStrictEqual(before[key], after[key]),
    )
    if (lost.length === 0) return { verdict: 'complete', notes: [] }
    const undeclared = lost.filter((key) => !losses.some(({ path }) => paths[key].test(path)))
    const notes = lost.map((key) => `${key}: ${JSON.stringify(before[key])} became ${JSON.stringify(after[key])}`)
    return { verdict: undeclared.length > 0 ? 'wrong' : 'declared', notes }
  } catch (error) {
    if (ToolwireError.is(error)) return { verdict: 'refused', notes: [`${error.code}: ${error.message}`] }
    return { verdict: 'wrong', notes: [String(error)] }
  }
}

const paths = {
  text: /^\/message\b/,
  calls: /^\/message\b/,
  finish: /^\/(finishReason|rawFinishReason)/,
  usage: /^\/usage/,
} as const

function essentials(response: CompletionResponse) {
  const { usage } = response
  return {
    text: response.text,
    calls: response.message.content
      .filter(isCall)
      .map((call) => [call.type, call.id, call.name, compact(call.arguments)]),
    finish: response.finishReason,
    usage: usage === undefined ? undefined : [inputTokens(usage) ?? 0, outputTokens(usage) ?? 0],
  }
}

/** Arguments without the white space between tokens; what is no JSON stays as it is. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** An answer as law 4 compares it: white space between the tokens of arguments aside. */
export function comparable(response: CompletionResponse): unknown {
  return JSON.parse(JSON.stringify(response, (key, value) => (key === 'arguments' ? compact(String(value)) : value)))
}
