// What an official SDK is asked as a judge of our server half, in the same words on every wire.
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionResponse, FinishReason } from '../../src/conversation/response.js'
import { inputTokens, outputTokens } from '../../src/conversation/usage.js'
import type { JsonObject } from '../../src/json/types.js'

/** An answer as an SDK gives it to its user. */
export interface Reading {
  /** Absent on a wire whose answers have none. */
  readonly id?: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  readonly finish: string
  /** All input and all output, and what of them was cached or reasoning where the wire says it. */
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead?: number
    readonly reasoning?: number
  }
}

/** An error as an SDK gives it to its user. */
export interface Failure {
  readonly status: number | undefined
  readonly message: string
  /** The wire's own word for it, where the SDK keeps one. */
  readonly type?: string | undefined
}

export interface Judge {
  readonly wire: Wire
  readonly sdk: string
  /** The wire's word for each finish, by hand; a reason it has no word for is not judged. */
  readonly finishes: Readonly<Partial<Record<FinishReason, string>>>
  /** Which parts of the usage the wire can say. */
  readonly usage: { readonly cacheRead: boolean; readonly reasoning: boolean }
  /** Answers whose stream the SDK itself cannot read. */
  readonly unstreamed?: readonly string[]
  whole(url: string): Promise<Reading>
  streamed(url: string): Promise<Reading>
  /** Sends a request body as the SDK's own parameters; `profile` names a vendor that the SDK is set up for. */
  send(url: string, body: JsonObject, asked: Sending): Promise<void>
  /** Asks and fails. */
  fail(url: string, stream: boolean): Promise<Failure>
}

export interface Sending {
  readonly model: string
  readonly stream: boolean
  readonly profile: string | undefined
}

/** What the judge should read of a response. */
export function expectedReading(response: CompletionResponse, judge: Judge): Reading {
  const { usage = {}, message } = response
  const calls = message.content.flatMap((part) => {
    if (part.type === 'tool_call')
      return [{ id: part.id, name: part.name, args: JSON.parse(part.arguments) as unknown }]
    return part.type === 'broken_call' ? [{ id: part.id, name: part.name, args: 'broken' }] : []
  })
  return {
    id: response.id,
    text: response.text,
    calls,
    finish: judge.finishes[response.finishReason] ?? '',
    usage: {
      input: inputTokens(usage) ?? 0,
      output: outputTokens(usage) ?? 0,
      cacheRead: usage.cacheRead ?? 0,
      reasoning: usage.reasoning ?? 0,
    },
  }
}

/** A reading with only what this judge can say of this response, for comparison with another. */
export function comparableReading(reading: Reading, response: CompletionResponse, judge: Judge): Reading {
  const { input, output, cacheRead = 0, reasoning = 0 } = reading.usage
  return {
    ...(judge.wire === 'ollama' ? {} : { id: reading.id ?? '' }),
    text: reading.text,
    // What a broken call holds is no JSON: each SDK shows its own rest of it.
    calls: reading.calls.map((call) =>
      response.brokenCalls.some((broken) => broken.id === call.id) ? { ...call, args: 'broken' } : call,
    ),
    finish: judge.finishes[response.finishReason] === undefined ? '' : reading.finish,
    usage: {
      input,
      output,
      ...(judge.usage.cacheRead ? { cacheRead } : {}),
      ...(judge.usage.reasoning ? { reasoning } : {}),
    },
  }
}

/** Argument text as a value; the text itself when it is no JSON. */
export function argsOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The error that a promise rejects with; a promise that does not is a failure of its own. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('the SDK did not notice the error')
}
