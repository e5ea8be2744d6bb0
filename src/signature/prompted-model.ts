// A model without tools of its own, as one that has them: calls and results travel as text in the form of an adapter.
// What the model said is kept as it was, so that the next turn sends it back unchanged.
import type { CompletionEvent } from '../conversation/events.js'
import { fold } from '../conversation/fold.js'
import type { AssistantPart } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { ToolwireError } from '../errors/error.js'
import { shortHash } from '../json/digest.js'
import { awaitable } from '../model/awaitable.js'
import type { CallOptions, Model, ModelRequest } from '../model/model.js'
import type { Adapter } from './adapter.js'
import { asText } from './conversation-text.js'
import type { SignatureData } from './field.js'
import { callParts } from './tool-fields.js'

/** `signature` is the one the prompt was made of; its `tool_calls` field is called `callsName`. The tools are in the prompt. */
export function promptedModel(model: Model, adapter: Adapter, signature: SignatureData, callsName: string): Model {
  const complete = async (request: ModelRequest, options: CallOptions = {}): Promise<CompletionResponse> => {
    const { tools: _, toolChoice: __, parallelToolCalls: ___, ...rest } = request
    const messages = request.messages.map((message) => asText(message, callsName))
    const response = await model.complete({ ...rest, messages }, options)
    // Ids that the text does not have are made from that of the answer, which may be missing or the same in each turn.
    const placed = { ...response, id: `${response.id}@${messages.length}` }
    const parts = await partsOf(adapter, signature, placed)
    const message = { ...response.message, content: [...response.message.content, ...parts] }
    return fold(unfold({ ...response, message }))
  }
  async function* events(
    request: ModelRequest,
    options?: CallOptions,
  ): AsyncGenerator<CompletionEvent, CompletionResponse> {
    const response = await complete(request, options)
    yield* unfold(response)
    return response
  }
  const left = (): never => {
    throw new ToolwireError('aborted', 'the reader of the events left')
  }
  return {
    name: `${model.name} (prompted)`,
    id: model.id,
    capabilities: { ...model.capabilities, tools: 'yes', streaming: 'no' },
    complete,
    stream: (request, options) => awaitable(() => ({ events: events(request, options), leave: () => {}, left })),
  }
}

/** The calls that stand in the text. Those whose arguments cannot be read are broken calls, so that they are answered. */
async function partsOf(
  adapter: Adapter,
  signature: SignatureData,
  response: CompletionResponse,
): Promise<readonly AssistantPart[]> {
  if (response.requiresToolExecution) return [] // it has tools after all, and its calls are parts already
  try {
    const parsed = await adapter.parse(signature, response, { mode: 'prompted' })
    return parsed.kind === 'calls' ? callParts(parsed.calls) : []
  } catch (error) {
    if (!ToolwireError.is(error) || error.code !== 'malformed_arguments') return []
    const { tool, arguments: text } = error.detail ?? {}
    const id = `call_${shortHash(`${response.id} 0`)}`
    const name = typeof tool === 'string' ? tool : ''
    return [{ type: 'broken_call', id, name, arguments: typeof text === 'string' ? text : '', reason: 'malformed' }]
  }
}
