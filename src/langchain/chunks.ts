// A streamed answer as LangChain's chunks, which merge into the same message as the whole answer gives.
// Trap: merging parses cut arguments leniently and would make a runnable call of them, so a call is sent when it is whole, in
// one chunk; a broken one has no id there, which LangChain takes for invalid.
import { AIMessageChunk } from '@langchain/core/messages'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder } from '../conversation/fold.js'
import type { AnyCall } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { type Block, writeOpaque } from './blocks.js'
import { type AnswerFields, blockOf, turnKwargs } from './turn-writing.js'

type ChunkFields = Exclude<ConstructorParameters<typeof AIMessageChunk>[0], string | readonly unknown[]>

/** `finish` makes the last chunk's usage and metadata from the whole answer. */
export async function* chunksOf(
  events: AsyncIterable<CompletionEvent>,
  finish: (response: CompletionResponse) => AnswerFields,
): AsyncGenerator<AIMessageChunk> {
  const folder = createFolder()
  const writer = createWriter()
  for await (const event of events) {
    folder.push(event)
    const fields = writer.write(event)
    if (fields !== undefined) yield new AIMessageChunk(fields)
  }
  const { response, error } = folder.done()
  if (error !== undefined) throw error
  const idOf = (call: AnyCall): string | undefined => (call.type === 'broken_call' ? undefined : call.id)
  const additional_kwargs = turnKwargs(response.message, idOf)
  const { response_metadata = {}, ...fields } = finish(response)
  yield new AIMessageChunk({ content: '', ...fields, additional_kwargs, response_metadata: { ...response_metadata } })
}

interface Writer {
  write(event: CompletionEvent): ChunkFields | undefined
}

/** Text as a string for as long as that says it all; from the first other part on, standard content blocks. */
function createWriter(): Writer {
  let named: { readonly id?: string } = {}
  let inBlocks = false
  let textPart: number | undefined
  let calls = 0
  const blocks = (block: Block, part: number): ChunkFields => {
    inBlocks = true
    return { ...named, content: [{ ...block, index: part }], response_metadata: { output_version: 'v1' } }
  }
  const call = (value: AnyCall, part: number): ChunkFields => {
    const { name, arguments: args } = value
    const known = value.type === 'tool_call' ? { id: value.id } : {}
    const chunk = { type: 'tool_call_chunk' as const, index: calls, name, args, ...known }
    calls += 1
    return { ...(inBlocks ? blocks(blockOf(value), part) : { ...named, content: '' }), tool_call_chunks: [chunk] }
  }
  return {
    write(event) {
      switch (event.type) {
        case 'start':
          // Messages without an id get one of their own from LangChain; agents tell messages apart by it.
          named = event.id === '' ? {} : { id: event.id }
          return undefined
        case 'text_delta':
          if (event.text === '') return undefined
          inBlocks ||= calls > 0 || (textPart ?? event.part) !== event.part
          textPart = event.part
          return inBlocks ? blocks({ type: 'text', text: event.text }, event.part) : { ...named, content: event.text }
        case 'reasoning_delta':
          return blocks({ type: 'reasoning', reasoning: event.text }, event.part)
        case 'opaque':
          return blocks(writeOpaque(event.value), event.part)
        case 'tool_call':
        case 'broken_call':
          return call(event.call, event.part)
        default:
          return undefined // told by the last chunk
      }
    },
  }
}
