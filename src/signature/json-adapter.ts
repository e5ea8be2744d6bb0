// The adapter whose answers are one JSON object. Where the model can be held to a schema it is; when a provider refuses that, or the
// answer cannot be read, the next rung asks for the same object in words only.
import { textMessage } from '../conversation/conversation.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { JsonObject, Value } from '../json/types.js'
import type { Adapter } from './adapter.js'
import type { Field, SignatureData } from './field.js'
import { jsonReader } from './json-reader.js'
import { writeFields } from './markers.js'
import { callsNote, fieldLines, objectiveOf, paragraphs } from './prompt-text.js'
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
    rung === 'schema' ? { schema: schemaFor(signature.outputs), name: 'outputs' } : undefined,
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
  readFields: (fields) => jsonReader(fields),
}

/** One JSON object, held to a schema where the model can be. */
export const jsonAdapter: Adapter = adapterOf(style)

function systemText(signature: SignatureData): string {
  const { inputs, outputs } = signature
  const shape =
    outputs.length === 0
      ? ''
      : paragraphs(
          `Answer with one JSON object and nothing else. Its schema:\n${stringifyJson(schemaFor(outputs))}`,
          callsNote(outputs),
        )
  return paragraphs(
    objectiveOf(signature),
    fieldLines('Input fields:', inputs),
    fieldLines('Output fields:', outputs),
    shape,
  )
}

/** With calls among the outputs nothing is required: on a turn with calls the others cannot be known. */
function schemaFor(outputs: readonly Field[]): JsonObject {
  const hasCalls = outputs.some(({ type }) => type.kind === 'tool_calls')
  return objectSchemaOf(hasCalls ? outputs.map((field) => ({ ...field, optional: true })) : outputs)
}

function readAnswer({ outputs }: SignatureData, text: string): ReadonlyMap<string, Written> {
  if (text.trim() === '') return new Map()
  const found = findJson(text)?.value
  if (isJsonObject(found)) return new Map(Object.entries(found).map(([name, value]) => [name, { value }]))
  throw new ToolwireError('malformed_response', 'the answer has no JSON object in it', {
    detail: { field: outputs[0]?.name ?? '' },
  })
}
