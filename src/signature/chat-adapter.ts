// The adapter whose answers are fields below markers: it suits every model, and long texts need no escapes.
import { textMessage } from '../conversation/conversation.js'
import { isJsonObject } from '../json/parse.js'
import type { Adapter } from './adapter.js'
import type { SignatureData } from './field.js'
import { markerReader } from './marker-reader.js'
import { endMarker, markerOf, readFields, unprotect, writeFields } from './markers.js'
import { callsNote, fieldLines, objectiveOf, paragraphs } from './prompt-text.js'
import { adapterOf, question, type Style, type Written } from './style.js'
import { findJson, isText } from './values.js'

const style: Style = {
  name: 'chat',
  rungs: () => ['markers'],
  output: () => undefined,
  messages: ({ signature, values, before }) => [
    textMessage('system', systemText(signature)),
    ...before,
    ...question(writeFields(signature.inputs, values), before),
  ],
  write: (fields, values) => `${writeFields(fields, values)}\n\n${endMarker}`,
  read: readAnswer,
  readFields: (fields) => markerReader(fields),
}

/** Fields below markers, in the question and in the answer. */
export const chatAdapter: Adapter = adapterOf(style)

function systemText(signature: SignatureData): string {
  const { inputs, outputs } = signature
  const shape =
    outputs.length === 0
      ? ''
      : paragraphs(
          'Answer with every output field in this order, its marker on a line of its own and the value below it. Put a backslash before a line of a value that looks like a marker.',
          ...outputs.map(({ name }) => `${markerOf(name)}\n{${name}}`),
          endMarker,
          callsNote(outputs),
        )
  return paragraphs(
    objectiveOf(signature),
    fieldLines('Input fields:', inputs),
    fieldLines('Output fields:', outputs),
    shape,
  )
}

/** Without any marker: a JSON object that has the fields, or the whole text when one text field was asked for. */
function readAnswer({ outputs }: SignatureData, text: string): ReadonlyMap<string, Written> {
  const names = outputs.map(({ name }) => name)
  const sections = readFields(text, names)
  if (sections.size === 0) return readUnmarked({ outputs }, text)
  const written = new Map<string, Written>()
  for (const { name, type, optional } of outputs) {
    const section = sections.get(name)
    if (section === undefined || (section === '' && optional)) continue
    written.set(name, { text: isText(type) ? unprotect(section) : section })
  }
  return written
}

function readUnmarked({ outputs }: Pick<SignatureData, 'outputs'>, text: string): ReadonlyMap<string, Written> {
  const found = findJson(text)?.value
  if (isJsonObject(found) && outputs.some(({ name }) => Object.hasOwn(found, name))) {
    return new Map(Object.entries(found).map(([name, value]) => [name, { value }]))
  }
  const [only, ...others] = outputs
  const isPlain = only !== undefined && others.length === 0 && isText(only.type) && text.trim() !== ''
  return isPlain ? new Map([[only.name, { text: text.trim() }]]) : new Map()
}
