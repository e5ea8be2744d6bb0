// The adapter whose answers are one JSON object. Where the model can be held to a schema it is; when a provider refuses that, or the
// answer cannot be read, the next rung asks for the same object in words only.
import { textMessage } from '../conversation/conversation.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value } from '../json/types.js'
import type { Adapter } from './adapter.js'
import type { SignatureData } from './field.js'
import { jsonReader } from './json-reader.js'
import { writeFields } from './markers.js'
import { fieldLines, objectiveOf, paragraphs } from './prompt-text.js'
import { objectSchemaOf } from './schema-field.js'
import { adapterOf, question, type Style, type Written } from './style.js'
import { findJson } from './values.js'

const style: Style = {
  name: 'json',
  rungs: ({ structuredOutput, structuredOutputWithTools }, hasTools) => {
    const refused = structuredOutput === 'no' || (hasTools && structuredOutputWithTools === 'no')
    return refused ? ['json'] : ['schema', 'json']
  },
  output: (signature, rung) =>
    rung === 'schema' ? { schema: objectSchemaOf(signature.outputs), name: 'outputs' } : undefined,
  messages: ({ signature, values, before }) => [
    textMessage('system', systemText(signature)),
    ...before,
    ...question(writeFields(signature.inputs, values), before),
  ],
  write: (fields, values) =>
    stringifyJson(
      Object.fromEntries(
        fields.flatMap(({ name }) => (values.get(name) === undefined ? [] : [[name, values.get(name) as Value]])),
      ),
    ),
  read: readAnswer,
  readFields: jsonReader,
}

/** One JSON object, held to a schema where the model can be. */
export const jsonAdapter: Adapter = adapterOf(style)

function systemText(signature: SignatureData): string {
  const { inputs, outputs } = signature
  const shape =
    outputs.length === 0
      ? ''
      : `Answer with one JSON object and nothing else. Its schema:\n${stringifyJson(objectSchemaOf(outputs))}`
  return paragraphs(
    objectiveOf(signature),
    fieldLines('Input fields:', inputs),
    fieldLines('Output fields:', outputs),
    shape,
  )
}

function readAnswer({ outputs }: SignatureData, text: string): ReadonlyMap<string, Written> {
  if (text.trim() === '') return new Map()
  const found = findJson(text)?.value
  if (isJsonObject(found)) return new Map(Object.entries(found).map(([name, value]) => [name, { value }]))
  throw new ToolwireError('malformed_response', 'the answer has no JSON object in it', {
    detail: { field: outputs[0]?.name ?? '' },
  })
}
