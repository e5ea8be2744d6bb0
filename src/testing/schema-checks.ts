// What a strict provider refuses of schemas: those it holds a model to must be in its dialect.
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest, OutputSpec, ToolSpec } from '../conversation/request.js'
import type { JsonObject } from '../json/types.js'
import type { DialectName } from '../schema/restrict/dialects.js'
import { oracles } from './schema-oracles.js'

interface Held {
  /** The dialect of a tool that is held to its schema; nothing where the wire has no such thing. */
  readonly tool?: DialectName
  readonly output?: DialectName
  /** Whether an answer is held to its schema only when the request says so. */
  readonly outputWhenStrict?: boolean
  /** Models that cannot answer in a schema while they have tools. */
  readonly apart?: RegExp
}

const openai: Held = { tool: 'openai_strict', output: 'openai_strict', outputWhenStrict: true }

const rules: Readonly<Record<Wire, Held>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  anthropic: { tool: 'anthropic_strict', output: 'anthropic_output' },
  ollama: {},
  gemini: { apart: /gemini-(?:1|2)/ },
}

/** What is wrong with the schemas of a request, as the provider would say it. */
export function schemaFaults(wire: Wire, { model, tools = [], output }: CompletionRequest): readonly string[] {
  const { tool, output: answer, outputWhenStrict, apart } = rules[wire]
  const specs = tools.filter((declared): declared is ToolSpec => declared.type !== 'opaque')
  const isHeld = (spec: OutputSpec): boolean => outputWhenStrict !== true || spec.strict === true
  const together = output !== undefined && specs.length > 0 && apart?.test(model) === true
  return [
    ...specs.flatMap(({ name, inputSchema, strict }) =>
      strict === true && inputSchema !== undefined ? faults(`tools: the schema of "${name}"`, inputSchema, tool) : [],
    ),
    ...(typeof output === 'object' && isHeld(output) ? faults('the schema of the answer', output.schema, answer) : []),
    ...(together ? ['function calling with a response mime type of application/json is unsupported'] : []),
  ]
}

function faults(what: string, schema: JsonObject, dialect: DialectName | undefined): readonly string[] {
  if (dialect === undefined) return []
  const found = oracles[dialect](schema)
  return found.length === 0 ? [] : [`${what} is not one of ${dialect}: ${found.slice(0, 5).join('; ')}`]
}
