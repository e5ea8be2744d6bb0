// A response as a Messages body (server half), with every member that official clients type as required.
// The trap: an answer of another wire has no words of this one; each thing that changes on the way is a loss.
import { assertNever, type CompletionEvent } from '../../conversation/events.js'
import { applyLosses, at, type Loss } from '../../conversation/losses.js'
import type { AnyCall, AssistantPart, ReasoningPart } from '../../conversation/messages.js'
import { isCall, wires } from '../../conversation/messages.js'
import type { CompletionResponse, FinishReason } from '../../conversation/response.js'
import { shortHash } from '../../json/digest.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import { argumentsObject } from '../arguments.js'
import { type CallFragment, callAssembler } from '../calls.js'
import type { EncodedResponse, Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { carriedFields, leftover, writtenFields } from '../extra.js'
import { type Block, writeAssistantOpaque, writeText, writeThinking } from './blocks.js'
import { finishOf, withBrokenText } from './response.js'
import { isDefault, lossOf, modelled, sameJson, wire } from './types.js'
import { usageBeyondBuckets, writeUsage } from './usage.js'

export function encode(response: CompletionResponse, _exchange: Exchange, env: Env): EncodedResponse {
  const { message, losses } = writeAnswer(response, env)
  const headers = { 'content-type': 'application/json' }
  return { http: { status: 200, headers, body: writeJson(message) }, losses }
}

/** The wire's message object, and what it could not say, with paths into the response. */
export function writeAnswer(response: CompletionResponse, env: Env): { message: Block; losses: readonly Loss[] } {
  const losses: Loss[] = []
  const id = writeId(response, env, losses)
  const stopReason = writeStopReason(response, losses)
  const content = writeContent(response, id, finishOf(stopReason, response.requiresToolExecution), losses)
  differences(wire, response.message.extra, undefined, '/message/extra', losses)
  const message: Block = {
    id,
    type: 'message',
    role: 'assistant',
    model: response.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    ...writeMetadata(response, losses),
    usage: writeUsage(response, losses),
  }
  return { message, losses }
}

function writeContent(
  response: CompletionResponse,
  id: string,
  reason: FinishReason,
  losses: Loss[],
): readonly Block[] {
  const { content } = response.message
  const found: Loss[] = []
  const blocks = content.map((part, index) => writeAnswerPart(part, at('/message/content', index), found))
  if (isDoubtful(response)) reportCalls(content, { id, reason }, found)
  for (const loss of found) losses.push(loss)
  if (found.length > 0) reportLists(response, found, losses)
  return blocks.filter((block) => block !== undefined)
}

/** One part as a block of an answer, with the members official clients type as required. */
function writeAnswerPart(part: AssistantPart, path: string, losses: Loss[]): Block | undefined {
  switch (part.type) {
    case 'text':
      return { citations: null, ...writeText(part, path, losses) }
    case 'reasoning':
      return writeAnswerThinking(part, path, losses)
    case 'tool_call':
    case 'broken_call':
      return writeAnswerCall(part, path, losses)
    case 'opaque':
      return writeAssistantOpaque(part, path, losses)
    default:
      return assertNever(part)
  }
}

/** Thinking that shows nothing is a block only for the signature it carries. */
function writeAnswerThinking(part: ReasoningPart, path: string, losses: Loss[]): Block | undefined {
  const found: Loss[] = []
  const block = writeThinking(part, path, found)
  if (block.thinking === '' && block.signature === '') {
    losses.push(lossOf('reasoning_empty', path, 'dropped', 'reasoning without text or signature is not sent'))
    return undefined
  }
  for (const loss of found) losses.push(loss)
  return block
}

/** Names and ids are the client's own here, so they are written as they are. */
function writeAnswerCall(call: AnyCall, path: string, losses: Loss[]): Block {
  if (call.opaque !== undefined) {
    losses.push(lossOf('signature_dropped', at(path, 'opaque'), 'dropped', 'a call carries no signature on this wire'))
  }
  const { id, name } = call
  const fields = carriedFields(wire, call, path, losses, { taken: modelled.toolUse, isDefault })
  return { type: 'tool_use', id, name, input: argumentsObject(call), caller: { type: 'direct' }, ...fields }
}

/** Whether a reader may take a call of the answer for something else. */
function isDoubtful(response: CompletionResponse): boolean {
  const { brokenCalls, toolCalls, finishReason } = response
  if (brokenCalls.length > 0) return true
  return (
    toolCalls.length > 0 &&
    (finishReason === 'length' ||
      toolCalls.some(({ id }) => id === '') ||
      new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length)
  )
}

function reportCalls(
  content: readonly AssistantPart[],
  answer: { readonly id: string; readonly reason: FinishReason },
  losses: Loss[],
): void {
  const written = content.flatMap((part, index) => (isCall(part) ? [{ part: index, fragment: fragmentOf(part) }] : []))
  for (const event of callsBack(written, answer)) {
    if (event.type !== 'tool_call' && event.type !== 'broken_call') continue
    const before = content[event.part] as AnyCall
    const { call } = event
    if (call.type === before.type && call.arguments === before.arguments && call.id === before.id) continue
    const message = 'a reader of this wire takes the call for something else'
    losses.push(lossOf('call_changed', at('/message/content', event.part), 'changed', message, call))
  }
}

function fragmentOf(call: AnyCall): CallFragment {
  const fields = writtenFields(wire, call, { taken: modelled.toolUse, isDefault })
  const { extra } = leftover(wire, fields, modelled.toolUse)
  return { id: call.id, name: call.name, text: argumentsObject(call).text, extra }
}

/** The calls a reader will see, from what was written. */
export function callsBack(
  calls: readonly { readonly part: number; readonly fragment: CallFragment }[],
  answer: { readonly id: string; readonly reason: FinishReason },
): readonly CompletionEvent[] {
  const exchange: Exchange = { wire, model: '', stream: false }
  const assembler = callAssembler({ wire, exchange, deltas: false, responseId: () => answer.id })
  for (const { part, fragment } of calls) assembler.push({ ...fragment, whole: true }, part)
  return assembler.finish(answer.reason, calls.at(-1)?.part ?? -1).map(withBrokenText)
}

/** What changed in the content changed in the lists of calls too. */
function reportLists(response: CompletionResponse, found: readonly Loss[], losses: Loss[]): void {
  const { content } = applyLosses(response, found).message
  const message = 'the same as in the content of the message'
  for (const [key, type] of [
    ['toolCalls', 'tool_call'],
    ['brokenCalls', 'broken_call'],
  ] as const) {
    const calls = content.filter((part) => part.type === type)
    if (sameJson(calls, response[key])) continue
    losses.push(lossOf('call_changed', `/${key}`, 'changed', message, calls))
  }
}

/** An answer without an id (not every wire has one) gets one, since clients count answers by it. */
function writeId(response: Pick<CompletionResponse, 'id' | 'model'>, env: Env, losses: Loss[]): string {
  if (response.id !== '') return response.id
  const id = `msg_${shortHash(`${env.createdSeconds}/${response.model}`, 24)}`
  losses.push(lossOf('id_made', '/id', 'changed', 'the answer had no id', id))
  return id
}

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  pause: 'pause_turn',
  error: 'end_turn',
}

function writeStopReason(response: CompletionResponse, losses: Loss[]): string {
  const { finishReason, rawFinishReason: raw, requiresToolExecution: hasCalls } = response
  const isOwn = raw !== undefined && response.message.origin?.wire === wire && finishOf(raw, hasCalls) === finishReason
  const word = isOwn ? raw : words[hasCalls && finishReason === 'stop' ? 'tool_calls' : finishReason]
  const read = finishOf(word, hasCalls)
  if (read !== finishReason) {
    const message = `the wire has no word for the finish "${finishReason}" here`
    losses.push(lossOf('finish_changed', '/finishReason', 'changed', message, read))
  }
  if (word !== raw) {
    const message = 'the finish is said in words of this wire'
    losses.push(lossOf('finish_renamed', '/rawFinishReason', 'changed', message, word))
  }
  return word
}

/** Top-level fields of this wire; `usage` has its own place. */
function writeMetadata(response: CompletionResponse, losses: Loss[]): JsonObject {
  for (const other of wires) {
    if (other === wire || response.metadata[other] === undefined) continue
    const message = `what ${other} said besides the answer has no place on ${wire}`
    losses.push(lossOf('metadata_dropped', at('/metadata', other), 'dropped', message))
  }
  const own = response.metadata[wire]
  if (own === undefined) return {}
  const { usage: _, ...fields } = own
  const kept = writtenFields(wire, { extra: { [wire]: fields } }, { taken: modelled.response, isDefault })
  if (Object.keys(kept).length === 0 && usageBeyondBuckets(response) === undefined) {
    losses.push(lossOf('metadata_dropped', at('/metadata', wire), 'dropped', 'nothing of it can be said'))
    return {}
  }
  const read = leftover(wire, kept, modelled.response).extra?.[wire]
  differences(wire, fields, read ?? {}, at('/metadata', wire), losses)
  return kept
}
