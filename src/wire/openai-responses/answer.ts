// The response object of the server half, with every member that official clients' types require, and what it does not say.

import type { CompletionEvent } from '../../conversation/events.js'
import { createFolder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { type Ending, endingOf } from './finish.js'
import { createOutputReader } from './output-decode.js'
import { answered, echoed, isDefault, madeItemId, wire } from './types.js'
import { encodeUsage } from './usage.js'

/** The id of the answer; one made from the exchange when the provider gave none. */
export function answerId(id: string, exchange: Exchange, env: Env): string {
  return id === '' ? madeItemId('resp', `${exchange.model}/${env.createdSeconds}`, 0) : id
}

/** Members that repeat the request, from what the client sent, else the defaults of the wire. */
function echo(exchange: Exchange): JsonObject {
  const client = exchange.client ?? {}
  const defaults: JsonObject = {
    background: false,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    access_programs: null,
  }
  const sent = echoed.filter((key) => Object.hasOwn(client, key) && client[key] !== null)
  const said = Object.fromEntries(sent.map((key) => [key, client[key] ?? null]))
  return { ...defaults, ...said, ...(Array.isArray(said.tools) ? { tools: said.tools.map(echoTool) } : {}) }
}

/** A tool as answers repeat it: a function has all its members. */
function echoTool(tool: Json): Json {
  if (!isJsonObject(tool) || tool.type !== 'function') return tool
  return { ...tool, parameters: tool.parameters ?? null, strict: tool.strict ?? false }
}

/** The answer before anything of it is known. */
export function opening(id: string, model: string, exchange: Exchange, env: Env): JsonObject {
  return {
    id,
    object: 'response',
    created_at: env.createdSeconds,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
    ...echo(exchange),
  }
}

/** The whole answer, around the items it consists of. */
export function answerOf(
  response: CompletionResponse,
  output: readonly JsonObject[],
  refused: boolean,
  exchange: Exchange,
  env: Env,
): JsonObject {
  const own = response.metadata[wire] ?? {}
  const said = Object.entries(own).filter(([key, value]) => !answered.has(key) && !isDefault(key, value))
  const { status, incomplete } = ending(response, refused)
  return {
    ...opening(answerId(response.id, exchange, env), response.model, exchange, env),
    status,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    output,
    usage: encodeUsage(response.usage, own.usage),
    ...Object.fromEntries(said),
  }
}

/** Whether the answer did not come to its end: then its last message did not either. */
export function isIncomplete(response: CompletionResponse, refused: boolean): boolean {
  return ending(response, refused).status === 'incomplete'
}

function ending(response: CompletionResponse, refused: boolean): Ending {
  return endingOf(response.finishReason, ownReason(response), refused && !response.requiresToolExecution)
}

/** The provider's word for the end, when the answer came from this wire. */
function ownReason(response: CompletionResponse): string | undefined {
  return response.message.origin?.wire === wire ? response.rawFinishReason : undefined
}

/** What reading the answer again does not give back. */
export function answerLosses(response: CompletionResponse, answer: JsonObject, exchange: Exchange, env: Env): Loss[] {
  const events: CompletionEvent[] = []
  const { names: _, ...plain } = exchange
  createOutputReader(plain, { ...env, deltas: false }).complete(answer, events)
  const folder = createFolder()
  for (const event of events) folder.push(event)
  const losses: Loss[] = []
  const { losses: __, ...before } = response
  const { losses: ___, ...after } = folder.done().response
  differences(wire, before, after, '', losses)
  return losses
}

/** The name of the event that ends a stream with this answer. */
export function endingEvent(answer: JsonObject): string {
  return answer.status === 'completed' ? 'response.completed' : 'response.incomplete'
}
