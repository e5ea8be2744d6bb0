// Adapters of the older kind, which only know a text to add to a prompt and how to read a text: one prompt as one user message,
// the parsing theirs; tools and calls go the same way as with every adapter.
import { textMessage } from '../conversation/conversation.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Adapter, TextAdapter } from './adapter.js'
import { objectiveOf, paragraphs } from './prompt-text.js'
import { adapterOf, type Written } from './style.js'
import { writeValue } from './values.js'

/** An adapter as it is, or the older pair made into one. Anything else is misuse. */
export function asAdapter(given: Adapter | TextAdapter): Adapter {
  const { format, parse, formatInstructions, parseOutputs } = (given ?? {}) as Partial<Adapter & TextAdapter>
  if (typeof format === 'function' && typeof parse === 'function') return given as Adapter
  if (typeof formatInstructions === 'function' && typeof parseOutputs === 'function')
    return fromPair(given as TextAdapter)
  throw new ToolwireError(
    'misuse',
    'an adapter has the functions format and parse, or the older pair formatInstructions and parseOutputs',
  )
}

function fromPair(pair: TextAdapter): Adapter {
  return adapterOf({
    name: pair.name ?? 'custom',
    rungs: () => ['text'],
    output: () => undefined,
    messages: ({ signature, values, before }) => {
      const lines = signature.inputs
        .filter(({ name }) => values.get(name) !== undefined)
        .map(({ name, type }) => `${name}: ${writeValue(type, values.get(name))}`)
      const prompt = paragraphs(objectiveOf(signature), lines.join('\n'), pair.formatInstructions(signature))
      return [...before, textMessage('user', prompt)]
    },
    write: (fields, values) =>
      fields.map(({ name, type }) => `${name}: ${writeValue(type, values.get(name) ?? null)}`).join('\n'),
    read: (signature, text) => {
      const outputs = parsedBy(pair, () => pair.parseOutputs(signature, text))
      return new Map(Object.entries(outputs).map(([name, value]): [string, Written] => [name, { value }]))
    },
  })
}

function parsedBy(pair: TextAdapter, parse: () => unknown): object {
  let outputs: unknown
  try {
    outputs = parse()
  } catch (error) {
    if (ToolwireError.is(error)) throw error
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw new ToolwireError(
      'malformed_response',
      `the adapter ${pair.name ?? 'custom'} cannot read the answer: ${reason}`,
      { cause: error },
    )
  }
  if (isJsonObject(outputs)) return outputs
  throw new ToolwireError('malformed_response', `the adapter ${pair.name ?? 'custom'} gave no object of outputs`)
}
