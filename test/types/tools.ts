// What must and must not compile about tools. `tsc -p tsconfig.test.json` is the test; nothing here runs.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import type { ToolCall } from '../../src/conversation/messages.js'
import type { ToolChoice } from '../../src/conversation/request.js'
import type { JsonObject, ValueObject } from '../../src/json/types.js'
import type { Infer } from '../../src/schema/infer.js'
import { decodeArguments } from '../../src/tools/arguments.js'
import { tool } from '../../src/tools/define.js'
import { importTool } from '../../src/tools/import-tool.js'
import { params } from '../../src/tools/params.js'
import type { Tool } from '../../src/tools/tool.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

declare const call: ToolCall
declare const wide: JsonObject
const name = 'get_weather'
const description = 'Current weather for a city'
interface Weather {
  city: string
  unit?: 'c' | 'f'
}

// A JSON Schema written inline.
const inline = tool({
  name,
  description,
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['c', 'f'] } },
    required: ['city'],
  },
  execute: (input, context) => {
    assertType<Equal<typeof input, Weather>>()
    assertType<Equal<typeof context.signal, AbortSignal>>()
    return { celsius: 18 }
  },
})
assertType<Equal<typeof inline, Tool<Weather, { celsius: number }>>>()

// A JSON Schema kept in a constant, with every form that is inferred.
const schema = {
  type: 'object',
  properties: {
    s: { type: 'string' },
    n: { type: 'number' },
    i: { type: 'integer' },
    b: { type: 'boolean' },
    z: { type: 'null' },
    e: { enum: ['x', 1, null] },
    c: { const: 'only' },
    l: { type: 'array', items: { type: 'string' } },
    m: { type: ['string', 'null'] },
    o: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'] },
    f: { type: 'object' },
    u: { anyOf: [{ type: 'string' }] },
  },
  required: ['s', 'n', 'i', 'b', 'z', 'e', 'c', 'l', 'm', 'o', 'f', 'u'],
} as const
assertType<
  Equal<
    Infer<typeof schema>,
    {
      s: string
      n: number
      i: number
      b: boolean
      z: null
      e: 'x' | 1 | null
      c: 'only'
      l: string[]
      m: string | null
      o: { deep: boolean }
      f: { [key: string]: unknown }
      u: unknown
    }
  >
>()
assertType<Equal<Infer<JsonObject>, ValueObject>>()
tool({ name, description, input: wide, execute: (input) => assertType<Equal<typeof input, ValueObject>>() })

// The factories.
const weatherParams = params.object({
  city: params.string({ description: 'City' }),
  unit: params.optional(params.string({ enum: ['c', 'f'] })),
})
const fromParams = tool({ name, description, input: weatherParams, execute: async ({ city }) => city.length })
assertType<Equal<typeof fromParams, Tool<Weather, number>>>()
const nested = params.object({
  tags: params.array(params.object({ id: params.integer(), on: params.optional(params.boolean()) })),
  size: params.number({ enum: [1, 2] }),
})
assertType<Equal<Infer<typeof nested>, { tags: { id: number; on?: boolean }[]; size: 1 | 2 }>>()

// The builder.
const built = tool
  .build(name)
  .describe(description)
  .param('city', 'string', { description: 'City' })
  .param('unit', 'string', { enum: ['c', 'f'], optional: true })
  .execute((input) => {
    assertType<Equal<typeof input, Weather>>()
    return input.unit ?? 'c'
  })
assertType<Equal<typeof built, Tool<Weather, 'c' | 'f'>>>()
tool
  .build(name)
  .describe(description)
  .param('days', 'integer')
  .param('tags', params.array(params.string()))
  .param('note', params.optional(params.string()))
  .execute((input) => assertType<Equal<typeof input, { days: number; tags: string[]; note?: string }>>())

// Standard Schemas: the handler gets what the schema puts out.
tool({
  name,
  description,
  input: z.object({ city: z.string(), days: z.string().transform(Number) }),
  execute: (input) => assertType<Equal<typeof input, { city: string; days: number }>>(),
})
tool({
  name,
  description,
  input: toStandardJsonSchema(v.object({ city: v.string() })),
  execute: (input) => assertType<Equal<typeof input, { city: string }>>(),
})
tool({
  name,
  description,
  input: type({ city: 'string', 'unit?': "'c'|'f'" }),
  execute: (input) => assertType<Equal<typeof input, Weather>>(),
})

// An output schema binds what the handler returns, whatever kind it is.
const base = { name, description, input: weatherParams }
const zodOutput = z.object({ celsius: z.number() })
const jsonOutput = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] } as const
tool({ ...base, outputSchema: zodOutput, execute: () => ({ celsius: 1 }) })
tool({ ...base, outputSchema: jsonOutput, execute: async () => ({ celsius: 1 }) })
tool({ ...base, outputSchema: { enum: ['c', 'f'] }, execute: ({ unit }) => unit ?? ('c' as const) })
// @ts-expect-error a string is not the number the zod output schema asks for
tool({ ...base, outputSchema: zodOutput, execute: () => ({ celsius: '1' }) })
// @ts-expect-error nor the number the JSON Schema asks for
tool({ ...base, outputSchema: jsonOutput, execute: () => ({ celsius: '1' }) })
// @ts-expect-error nor the number the params ask for
tool({ ...base, outputSchema: params.number(), execute: () => 'warm' })

// A handler that expects another input.
// @ts-expect-error zod: city is a string
tool({ name, description, input: z.object({ city: z.string() }), execute: (input: { city: number }) => input })
// @ts-expect-error arktype: city is a string
tool({ name, description, input: type({ city: 'string' }), execute: (input: { city: number }) => input })
// @ts-expect-error params: there is no town
tool({ name, description, input: weatherParams, execute: ({ town }) => town })
// @ts-expect-error JSON Schema: there is no town
tool({ name, description, input: schema, execute: ({ town }) => town })
const withCity = tool.build(name).describe(description).param('city', 'string')
// @ts-expect-error builder: there is no town
withCity.execute(({ town }) => town)
// @ts-expect-error builder: a number is not a value of a string parameter
tool.build(name).param('unit', 'string', { enum: [1] })
// @ts-expect-error builder: no such type
tool.build(name).param('unit', 'strnig')

// Missing and misspelt parts.
// @ts-expect-error no execute
tool({ name, description, input: weatherParams })
// @ts-expect-error no input
tool({ name, description, execute: () => 1 })
// @ts-expect-error no such capability
tool({ name, description, input: weatherParams, capabilities: ['netwrok'], execute: () => 1 })
// @ts-expect-error no such choice
export const misspelt: ToolChoice = 'requierd'
export const choice: ToolChoice = { tool: name }

// Arguments and imports.
assertType<Equal<ReturnType<typeof decodeWeather>, Weather>>()
function decodeWeather(): Weather {
  return decodeArguments(call, weatherParams)
}
const decoded = decodeArguments(call, z.object({ city: z.string() }))
assertType<Equal<typeof decoded, { city: string }>>()
const { tool: imported } = importTool({ name, parameters: {} })
assertType<Equal<typeof imported, Tool<ValueObject, unknown>>>()
