// A call that must be made. The wire has no word for it, but an answer in a schema, which binds from the first token on:
// that schema is then the one of a call to any declared tool, so the call comes as the text of the answer.
import { isJsonObject, parseBody } from '../../json/parse.js'
import { spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { CallHead } from './calls.js'

/** The `format` that leaves no answer but a call to one of the tools in a body; nothing where none of them is a function. */
export function callFormat(tools: readonly Json[]): JsonObject | undefined {
  const calls = tools.flatMap((tool) => {
    const callee = isJsonObject(tool) ? tool.function : undefined
    return isJsonObject(callee) && typeof callee.name === 'string' ? [callSchema(callee.name, callee.parameters)] : []
  })
  return calls.length < 2 ? calls[0] : { anyOf: calls }
}

function callSchema(name: string, parameters: Json | undefined): JsonObject {
  return {
    type: 'object',
    properties: {
      name: { type: 'string', enum: [name] },
      arguments: isJsonObject(parameters) ? parameters : { type: 'object' },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }
}

/** Whether a body asks for a call in this way. */
export function isCallFormat(format: JsonObject, tools: Json | undefined): boolean {
  return Array.isArray(tools) && JSON.stringify(format) === JSON.stringify(callFormat(tools))
}

const rawArguments = spanFinder(['/arguments'])

/** The call that a text is, and the span of its arguments; nothing for any other text. */
export function callIn(text: string): { readonly head: CallHead; readonly span: string | undefined } | undefined {
  let call: Json
  try {
    call = parseBody(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(call) || typeof call.name !== 'string' || !isJsonObject(call.arguments)) return undefined
  const { name, arguments: value } = call
  return { head: { id: '', name, value, extra: undefined }, span: rawArguments(text, [value])('/arguments', value) }
}
