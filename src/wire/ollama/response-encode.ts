// A response as the body of an answer (server half), and what such a body cannot say, with paths into the response.
// The trap: the wire has one string of text, one of thinking, then calls; parts in another order come back in this one.
import type { CompletionEvent } from '../../conversation/events.js'
import { createFolder } from '../../conversation/fold.js'
import { at, type Loss } from '../../conversation/losses.js'
import type { AssistantPart } from '../../conversation/messages.js'
import { isCall, wires } from '../../conversation/messages.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { inputTokens, outputTokens, type Usage, usageFrom } from '../../conversation/usage.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import type { EncodedResponse, Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { fieldsOf, leftover, unmodelled } from '../extra.js'
import { ownFields, type WritableObject } from './calls.js'
import { isPlainTurn, writeTurn } from './history.js'
import { lineReader } from './lines.js'
import { doneReasonOf, finishReasonOf, lossOf, modelled, wire } from './types.js'

export function encode(response: CompletionResponse, exchange: Exchange, env: Env): EncodedResponse {
  const turn = { ...writeTurn(response.message), ...ownFields(response.message, modelled.assistant) }
  const text = writeJson(lastLine(response, turn, exchange, env))
  // A call at the end of a cut answer is read as broken, its text as it stands: let it be the one that a stream gives.
  const body = response.finishReason === 'length' ? oneLine(text) : text
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { http: { status: 200, headers, body }, losses: answerLosses(response, () => body, exchange, env) }
}

/** Arguments may have line breaks between their tokens; a line has none. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}

/** The one line of a whole answer, or the last of a stream, whose `turn` is what no earlier line said. */
export function lastLine(
  response: CompletionResponse,
  turn: WritableObject,
  exchange: Exchange,
  env: Env,
): WritableObject {
  return {
    model: modelOf(response, exchange),
    created_at: createdAt(response, env),
    message: { role: 'assistant', content: '', ...turn },
    done: true,
    done_reason: doneReason(response),
    ...ownMetadata(response),
    ...counts(response.usage),
  }
}

export function modelOf(response: Pick<CompletionResponse, 'model'>, exchange: Exchange): string {
  return response.model === '' ? exchange.model : response.model
}

/** The time the answer came with, or the one injected. */
export function createdAt(response: Pick<CompletionResponse, 'metadata'>, env: Env): string {
  const known = response.metadata[wire]?.created_at
  return typeof known === 'string' ? known : new Date(env.createdSeconds * 1000).toISOString()
}

function doneReason(response: CompletionResponse): string {
  const { finishReason, rawFinishReason, requiresToolExecution } = response
  return doneReasonOf(finishReason, rawFinishReason, response.message.origin?.wire === wire, requiresToolExecution)
}

/** Fields of this wire beside the answer: durations and whatever else it said. */
function ownMetadata(response: CompletionResponse): JsonObject {
  return unmodelled(fieldsOf(response.metadata[wire]), taken)
}

const taken: ReadonlySet<string> = new Set([...modelled.response, 'created_at', 'error'])

/** Zero counts are omitted, as the real server does. */
function counts(usage: Usage | undefined): JsonObject {
  const input = usage === undefined ? 0 : (inputTokens(usage) ?? 0)
  const output = usage === undefined ? 0 : (outputTokens(usage) ?? 0)
  return { ...(input === 0 ? {} : { prompt_eval_count: input }), ...(output === 0 ? {} : { eval_count: output }) }
}

/** What is read differently from the response. `answer` gives the whole answer as one text, when it must be read to tell. */
export function answerLosses(
  response: CompletionResponse,
  answer: () => string,
  exchange: Exchange,
  env: Env,
): readonly Loss[] {
  const losses: Loss[] = []
  if (response.id !== '') losses.push(lossOf('id_dropped', '/id', 'changed', 'answers have no id on this wire', ''))
  const model = modelOf(response, exchange)
  if (model !== response.model)
    losses.push(lossOf('model_added', '/model', 'changed', 'the answer named no model', model))
  const back = exchange.callAsText || !isPlain(response) ? readBack(answer(), exchange, env) : undefined
  reportFinish(response, back, losses)
  reportUsage(response, losses)
  reportMetadata(response, env, losses)
  if (back !== undefined) differences(wire, response.message, back.message, '/message', losses)
  return losses
}

function reportFinish(response: CompletionResponse, back: CompletionResponse | undefined, losses: Loss[]): void {
  const word = doneReason(response)
  const reason = back?.finishReason ?? finishReasonOf(word, response.requiresToolExecution)
  if (reason !== response.finishReason) {
    const message = `the wire has no word for the finish "${response.finishReason}" here`
    losses.push(lossOf('finish_changed', '/finishReason', 'changed', message, reason))
  }
  if (word !== response.rawFinishReason) {
    const message = 'the finish is said in words of this wire'
    losses.push(lossOf('finish_renamed', '/rawFinishReason', 'changed', message, word))
  }
}

function reportUsage({ usage }: CompletionResponse, losses: Loss[]): void {
  if (usage === undefined) return
  const { prompt_eval_count: input, eval_count: output } = counts(usage) as { [key: string]: number | undefined }
  const isKnown = input !== undefined || output !== undefined
  const back = isKnown ? usageFrom({ inputWithCache: input, outputWithReasoning: output }) : undefined
  differences(wire, usage, back, '/usage', losses)
}

function reportMetadata(response: CompletionResponse, env: Env, losses: Loss[]): void {
  for (const other of wires) {
    if (other === wire || response.metadata[other] === undefined) continue
    const message = `what ${other} said besides the answer has no place on ${wire}`
    losses.push(lossOf('metadata_dropped', at('/metadata', other), 'dropped', message))
  }
  const written = { created_at: createdAt(response, env), ...ownMetadata(response) }
  const back = leftover(wire, written, modelled.response).extra?.[wire]
  const own = response.metadata[wire]
  if (own !== undefined) differences(wire, own, back, at('/metadata', wire), losses)
  else losses.push(lossOf('created_added', at('/metadata', wire), 'changed', 'an answer has a time on this wire', back))
}

/** Whether the message is written and read back with nothing changed. */
function isPlain(response: CompletionResponse): boolean {
  const { content, extra } = response.message
  if (extra !== undefined || !isPlainTurn(response.message)) return false
  const last = content.at(-1)
  if (response.finishReason === 'length' && last !== undefined && isCall(last)) return false
  return content.every((part, index) => {
    const before = content[index - 1]
    return before === undefined || slotOf(before) < slotOf(part) || (isCall(before) && isCall(part))
  })
}

function slotOf(part: AssistantPart): number {
  return part.type === 'reasoning' ? 0 : isCall(part) ? 2 : 1
}

/** What a client reads. */
function readBack(body: string, exchange: Exchange, env: Env): CompletionResponse {
  const events: CompletionEvent[] = []
  lineReader(exchange, env).read(JSON.parse(body) as JsonObject, body, events)
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done().response
}
