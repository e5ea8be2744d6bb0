// A recorded answer through its codec, and what it became against the independent reading.
import { isDeepStrictEqual } from 'node:util'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { Folded } from '../../src/conversation/fold.js'
import { type AnyCall, isCall, type Wire } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { inputTokens, outputTokens } from '../../src/conversation/usage.js'
import { type ErrorCode, ToolwireError } from '../../src/errors/error.js'
import type { Codec, Env, Exchange, Profile } from '../../src/wire/codec.js'
import { streamEvents } from '../streams/streamed.js'
import type { ReadCall, Reading, ReadUsage } from './reading/reading.js'
import { answerText, type Exchanged, isStreamed } from './records.js'

/** The vendor's own record where we have one; the wire's neutral one otherwise. */
const profileNames: Readonly<Record<Wire, Readonly<Record<string, string>>>> = {
  'openai-chat': { ollama: 'ollama-v1', local: 'compatible' },
  'openai-responses': { lmstudio: 'lm-studio' },
  // All recordings were made before 2026-10-21: under the old version, with sampling parameters.
  anthropic: { anthropic: 'anthropic-2023' },
  ollama: {},
  gemini: { google: 'gemini', 'google-vertex': 'vertex' },
}
const neutral: Readonly<Record<Wire, string>> = {
  'openai-chat': 'compatible',
  'openai-responses': 'openai',
  anthropic: 'anthropic-2023',
  ollama: 'ollama',
  gemini: 'gemini',
}

export function envOf(codec: Codec, record: Exchanged): Env {
  const name = profileNames[codec.wire][record.provider] ?? record.provider
  const profile = (
    Object.hasOwn(codec.profiles, name) ? codec.profiles[name] : codec.profiles[neutral[codec.wire]]
  ) as Profile
  return { profile, createdSeconds: 1_794_700_000, deltas: false }
}

export function exchangeOf(codec: Codec, record: Exchanged): Exchange {
  return { wire: codec.wire, model: record.model ?? '', stream: isStreamed(record) }
}

/** The events of a recorded answer; the bytes of a stream in the pieces given, whole when none are. */
export function eventsOf(codec: Codec, record: Exchanged, env: Env = envOf(codec, record)): readonly CompletionEvent[] {
  const exchange = exchangeOf(codec, record)
  const body = answerText(codec.wire, record)
  if (isStreamed(record)) return streamEvents(codec, [new TextEncoder().encode(body)], exchange, env)
  return codec.response.decode({ status: record.response.status, headers: headersOf(record), body }, exchange, env)
}

function headersOf(record: Exchanged): Readonly<Record<string, string>> {
  return record.response.headers ?? {}
}

/** Where what was decoded differs from what the record says; nothing when they agree. `answer` is the recorded text. */
export function disagreements(reading: Reading, { response, error }: Folded, answer: string): readonly string[] {
  if (reading.kind === 'error') return errorDisagreements(reading.status, error)
  if (error !== undefined) return [`an answer was read as an error: ${error.code} ${error.message}`]
  const found: string[] = []
  if (response.text !== reading.text) found.push(`text ${show(response.text)} for ${show(reading.text)}`)
  if (response.finishReason !== reading.finish) found.push(`finish ${response.finishReason} for ${reading.finish}`)
  const calls = response.message.content.filter(isCall)
  if (calls.length !== reading.calls.length) found.push(`${calls.length} calls for ${reading.calls.length}`)
  reading.calls.forEach((call, index) => {
    const got = calls[index]
    if (got !== undefined && !sameCall(call, got, answer)) found.push(`call ${show(got)} for ${show(call)}`)
  })
  const usage = usageOf(response)
  if (!isDeepStrictEqual(usage, reading.usage)) found.push(`usage ${show(usage)} for ${show(reading.usage)}`)
  return found
}

/** What an error of this status may be called. Google answers a wrong key with 400, OpenAI an unknown model. */
const codesOf: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: [
    'invalid_request',
    'context_too_long',
    'content_filtered',
    'unsupported_feature',
    'authentication',
    'not_found',
  ],
  401: ['authentication'],
  404: ['not_found'],
  429: ['rate_limited', 'quota_exceeded'],
}

function errorDisagreements(status: number | undefined, error: ToolwireError | undefined): readonly string[] {
  if (!ToolwireError.is(error)) return ['an error was read as an answer']
  if (status === undefined || codesOf[status]?.includes(error.code)) return []
  return [`the error ${error.code} for status ${status}`]
}

/** Name, id and exact arguments: the text that was sent, or, where it was sent in pieces, what the pieces add up to. */
function sameCall(read: ReadCall, got: AnyCall, answer: string): boolean {
  if (got.name !== read.name || got.id === '' || (read.id !== undefined && got.id !== read.id)) return false
  if (read.text !== undefined) return got.arguments === read.text
  if (!isDeepStrictEqual(JSON.parse(got.arguments), read.value)) return false
  return answer.includes(got.arguments) || got.arguments === JSON.stringify(read.value)
}

function usageOf({ usage }: CompletionResponse): ReadUsage | undefined {
  if (usage === undefined) return undefined
  return {
    input: inputTokens(usage) ?? 0,
    output: outputTokens(usage) ?? 0,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
    reasoning: usage.reasoning ?? 0,
  }
}

function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? 'nothing'
  return shown.length > 160 ? `${shown.slice(0, 160)}…` : shown
}
