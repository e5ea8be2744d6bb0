// Schemas and values made to hurt, each with the verdict it must get. The test asks for the verdict and the metered work; the bench
// (bench/schema.mjs) prints what one cold run of each costs.
import type { ToolCall } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { newRun } from '../../src/schema/run.js'
import { compileSchema } from '../../src/schema/validate.js'
import { decodeArguments } from '../../src/tools/arguments.js'
import { type HostileRow, many, nested, type Verdict } from './hostile-parts.js'
import { referenceRows } from './hostile-references.js'

/** What became of a row, and the work that its check was metered with (none for what was refused before). */
export function judge(schema: JsonObject, value: unknown): { readonly verdict: Verdict; readonly work: number } {
  const run = newRun()
  try {
    const checked = compileSchema(schema)(value, undefined, run)
    const verdict = checked.ok ? 'valid' : (checked.limit ?? 'invalid')
    return { verdict, work: run.limit - Math.max(run.left, 0) }
  } catch (error) {
    return { verdict: ruleOf(error, 'rule'), work: 0 }
  }
}

/** The same for the text of arguments, parsed and checked. */
export function judgeText(schema: JsonObject, text: string): Verdict {
  const call: ToolCall = { type: 'tool_call', id: 'call_1', name: 'hostile', arguments: text }
  try {
    decodeArguments(call, schema)
    return 'valid'
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'malformed_arguments') return String(error.detail?.limit ?? 'invalid')
    return ruleOf(error, 'rule')
  }
}

function ruleOf(error: unknown, key: string): Verdict {
  if (ToolwireError.is(error) && error.code === 'invalid_tool_spec') return String(error.detail?.[key])
  throw error
}

function named(length: number, schema: Json): JsonObject {
  return Object.fromEntries(many(length, (index) => [`p${index}`, schema]))
}
function keyed(length: number): { readonly [key: string]: number } {
  return Object.fromEntries(many(length, (index) => [`k${index}`, index]))
}
/** A schema in which each definition applies the next one twice. */
function doubling(keyword: string, depth: number): JsonObject {
  const definitions = many(depth, (index) => [
    `d${index}`,
    { [keyword]: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${depth}`]: { type: 'string' } } }
}
/** Alternatives within alternatives, each asking what was not looked at. */
function unevaluated(depth: number): JsonObject {
  return many(depth, (index) => index).reduce<JsonObject>(
    (inner, index) => ({
      anyOf: [inner, { properties: { [`p${index}`]: {} } }],
      unevaluatedProperties: { type: 'integer' },
    }),
    { properties: { k0: {} } },
  )
}

const unicodeProperties =
  'L Lu Ll Lt Lm Lo M N Nd P S Sm Sc Emoji Alphabetic Cased Ideographic ID_Start ID_Continue scx=Han'.split(' ')
const object: JsonObject = { type: 'object' }
const list = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { a: { type: 'array', ...schema } } })
const listText = (items: readonly unknown[]): string => `{"a":[${items.join()}]}`

export const hostileRows: readonly HostileRow[] = [
  // Values
  {
    title: '100,000 keys',
    verdict: 'work',
    schema: () => ({ additionalProperties: { type: 'integer' } }),
    value: () => keyed(100_000),
  },
  {
    title: '5,000 keys',
    verdict: 'valid',
    schema: () => ({ additionalProperties: { type: 'integer' } }),
    value: () => keyed(5_000),
  },
  {
    title: '9,000 unknown keys',
    verdict: 'invalid',
    schema: () => ({ additionalProperties: false }),
    value: () => keyed(9_000),
  },
  { title: '100,000 keys counted', verdict: 'work', schema: () => ({ maxProperties: 5 }), value: () => keyed(100_000) },
  {
    title: '6,000 different items',
    verdict: 'valid',
    schema: () => ({ uniqueItems: true }),
    value: () => many(6_000, (index) => index),
  },
  {
    title: '100,000 different items',
    verdict: 'work',
    schema: () => ({ uniqueItems: true }),
    value: () => many(100_000, String),
  },
  {
    title: '100,000 different objects',
    verdict: 'work',
    schema: () => ({ uniqueItems: true }),
    value: () => many(100_000, (id) => ({ id })),
  },
  {
    title: 'a wide item told apart from another',
    verdict: 'work',
    schema: () => ({ uniqueItems: true }),
    value: () => [keyed(50_000), keyed(50_000)],
  },
  {
    title: 'an enum of 2,900 for 20,000 items',
    verdict: 'valid',
    schema: () => ({ items: { enum: many(2_900, String) } }),
    value: () => many(20_000, () => '2899'),
  },
  {
    title: 'an enum of objects for 500 items',
    verdict: 'valid',
    schema: () => ({ items: { enum: many(1_400, (id) => ({ id })) } }),
    value: () => many(500, () => ({ id: 1_399 })),
  },
  {
    title: 'an enum of objects for 100,000 items',
    verdict: 'work',
    schema: () => ({ items: { enum: [{ id: 1 }] } }),
    value: () => many(100_000, () => ({ id: 1 })),
  },
  {
    title: 'a million failing items',
    verdict: 'invalid',
    schema: () => ({ items: { type: 'string' } }),
    value: () => many(1_000_000, (index) => index),
  },
  {
    title: 'a failing item behind 22,000',
    verdict: 'invalid',
    schema: () => ({ items: { type: 'integer' } }),
    value: () => [...many(22_000, (index) => index), 'x'],
  },
  {
    title: '60,000 failing objects',
    verdict: 'invalid',
    schema: () => ({ items: { required: ['a', 'b', 'c', 'd'] } }),
    value: () => many(60_000, () => ({})),
  },
  {
    title: 'contains over 20,000 items',
    verdict: 'valid',
    schema: () => ({ contains: { const: -1 }, minContains: 0 }),
    value: () => many(20_000, (index) => index),
  },
  {
    title: 'contains that never matches',
    verdict: 'work',
    schema: () => ({ contains: { type: 'object' } }),
    value: () => many(400_000, (index) => index),
  },
  {
    title: 'contains that is counted',
    verdict: 'work',
    schema: () => ({ contains: { type: 'array', items: { type: 'string' } }, maxContains: 10_000 }),
    value: () => many(150_000, () => ['x', 1]),
  },
  {
    title: 'arrays nested 100,000 deep',
    verdict: 'depth',
    schema: () => ({ items: { $ref: '#' } }),
    value: () => nested(100_000),
  },
  {
    title: 'arrays nested 100,000 deep that nobody looks into',
    verdict: 'depth',
    schema: () => ({}),
    value: () => nested(100_000),
  },
  {
    title: 'lengths of a huge text',
    verdict: 'work',
    schema: () => ({ allOf: many(20, (index) => ({ minLength: 6_000_000 + index })) }),
    value: () => 'é'.repeat(8_000_000),
  },
  { title: 'a huge multipleOf', verdict: 'invalid', schema: () => ({ multipleOf: 1.7e308 }), value: () => 5e-324 },
  {
    title: 'a tiny multipleOf of a huge integer',
    verdict: 'valid',
    schema: () => ({ multipleOf: 1e-300 }),
    value: () => 10n ** 9_999n,
  },
  {
    title: 'many tiny multiples',
    verdict: 'work',
    schema: () => ({ items: { multipleOf: 1e-300 } }),
    value: () => many(20_000, () => 10n ** 3_000n),
  },
  {
    title: 'keys of the prototype',
    verdict: 'invalid',
    schema: () => ({ required: ['constructor', '__proto__'], properties: { toString: { type: 'string' } } }),
    value: () => ({}),
  },
  {
    title: 'a key __proto__',
    verdict: 'invalid',
    schema: () => JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    value: () => JSON.parse('{"__proto__":{"polluted":1}}'),
  },
  // Schemas
  {
    title: '1,450 properties',
    verdict: 'valid',
    schema: () => ({ properties: named(1_450, { type: 'string' }) }),
    value: () => ({ p1449: 'x' }),
  },
  {
    title: '1,500 properties',
    verdict: 'schema_too_large',
    schema: () => ({ properties: named(1_500, { type: 'string' }) }),
    value: () => ({}),
  },
  {
    title: '495 alternatives',
    verdict: 'invalid',
    schema: () => ({ anyOf: many(495, (index) => ({ properties: { k: { const: index } }, required: ['k'] })) }),
    value: () => ({}),
  },
  {
    title: '700 references',
    verdict: 'valid',
    schema: () => ({
      properties: Object.fromEntries(many(700, (index) => [`q${index}`, { $ref: `#/$defs/p${index}` }])),
      $defs: named(700, { type: 'object' }),
    }),
    value: () => ({ q559: {} }),
  },
  { title: 'allOf that doubles 60 times', verdict: 'work', schema: () => doubling('allOf', 60), value: () => 'x' },
  { title: 'anyOf that doubles 60 times', verdict: 'work', schema: () => doubling('anyOf', 60), value: () => 1 },
  { title: 'oneOf that doubles 60 times', verdict: 'work', schema: () => doubling('oneOf', 60), value: () => 1 },
  {
    title: 'recursion that forks',
    verdict: 'work',
    schema: () => ({
      $ref: '#/$defs/a',
      $defs: { a: { anyOf: many(3, () => ({ type: 'array', items: { $ref: '#/$defs/a' } })) } },
    }),
    value: () => nested(60),
  },
  {
    title: 'unevaluated properties of nested alternatives',
    verdict: 'work',
    schema: () => unevaluated(40),
    value: () => keyed(50),
  },
  {
    title: 'unevaluated items of nested alternatives',
    verdict: 'work',
    schema: () => ({ anyOf: many(60, () => ({ contains: { type: 'string' } })), unevaluatedItems: false }),
    value: () => [...many(5_000, (index) => index), 'x'],
  },
  { title: 'a reference to itself', verdict: 'ref_cycle', schema: () => ({ $ref: '#' }), value: () => 1 },
  {
    title: 'references to each other',
    verdict: 'ref_cycle',
    schema: () => ({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    value: () => 1,
  },
  {
    title: 'a reference to itself in allOf',
    verdict: 'depth',
    schema: () => ({ allOf: [{ $ref: '#' }] }),
    value: () => 1,
  },
  {
    title: 'conditions that ask each other',
    verdict: 'depth',
    schema: () => ({
      $ref: '#/$defs/a',
      $defs: { a: { if: { $ref: '#/$defs/b' }, else: true }, b: { not: { $ref: '#/$defs/a' } } },
    }),
    value: () => 1,
  },
  {
    title: 'a schema nested 90 deep',
    verdict: 'subschema_kind',
    schema: () => ({ not: nested(90) as Json }),
    value: () => 1,
  },
  {
    title: 'a schema nested 1,000 deep',
    verdict: 'schema_too_large',
    schema: () => ({ not: nested(1_000) as Json }),
    value: () => 1,
  },
  {
    title: 'a description of 2 MB',
    verdict: 'schema_too_large',
    schema: () => ({ description: 'x'.repeat(2_000_000) }),
    value: () => 1,
  },
  {
    title: 'long references',
    verdict: 'ref_unresolved',
    schema: () => ({ allOf: many(900, (index) => ({ $ref: `#${'/a'.repeat(490)}/${index}` })) }),
    value: () => 1,
  },
  ...referenceRows,
  // Patterns
  {
    title: '(a+)+$ on a long text',
    verdict: 'work',
    schema: () => ({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(50_000)}!`,
  },
  {
    title: '(a+)+$ on a text',
    verdict: 'invalid',
    schema: () => ({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(400)}!`,
  },
  {
    title: 'a straight pattern on a long text',
    verdict: 'invalid',
    schema: () => ({ pattern: '^[a-z]+$' }),
    value: () => `${'a'.repeat(500_000)}!`,
  },
  {
    title: 'a straight pattern with a long tail',
    verdict: 'work',
    schema: () => ({ pattern: '^a*a{50000}$' }),
    value: () => `${'a'.repeat(100_000)}!`,
  },
  {
    title: 'a{1000}{1000}',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: '(a{1000}){1000}' }),
    value: () => 'a',
  },
  {
    title: 'many states',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: '(a|aa|aaa|b?){1,300}$' }),
    value: () => 'ab',
  },
  {
    title: 'states that double',
    verdict: 'work',
    schema: () => ({ pattern: '(a|b)*a(a|b){15}$' }),
    value: () => 'abbabaab'.repeat(1_000),
  },
  {
    title: 'a pattern of 100,000 characters',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: 'x'.repeat(100_000) }),
    value: () => 'x',
  },
  {
    title: 'a pattern of open brackets',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: '['.repeat(1_000) }),
    value: () => 'x',
  },
  {
    title: 'a pattern of groups',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: '('.repeat(500) + ')'.repeat(500) }),
    value: () => 'x',
  },
  {
    title: 'Unicode classes',
    verdict: 'pattern_unsupported',
    schema: () => ({ pattern: '\\p{L}'.repeat(190) }),
    value: () => 'x',
  },
  {
    title: 'straight patterns with Unicode classes',
    verdict: 'pattern_unsupported',
    schema: () => ({ allOf: many(400, (index) => ({ pattern: `^[\\p{L}\\p{N}${index}]+$` })) }),
    value: () => 'x',
  },
  {
    title: 'Unicode classes on a text',
    verdict: 'invalid',
    schema: () => ({ pattern: `^(${unicodeProperties.map((name) => `\\p{${name}}`).join('|')})+$` }),
    value: () => `${String.fromCodePoint(...many(300, (index) => 0x4e00 + 31 * index))} `,
  },
  {
    title: 'broken patterns with Unicode classes',
    verdict: 'pattern_unsupported',
    schema: () => ({ allOf: many(20, (index) => ({ pattern: `${'\\P{L}'.repeat(20)}\\-${index}**` })) }),
    value: () => 'x',
  },
  {
    title: '1,450 patterns',
    verdict: 'pattern_unsupported',
    schema: () => ({ allOf: many(1_450, (index) => ({ pattern: `(a|b)${index}` })) }),
    value: () => 'x',
  },
  {
    title: 'patterns of keys',
    verdict: 'work',
    schema: () => ({ patternProperties: Object.fromEntries(many(13, (index) => [`(a|b)+${index}$`, true])) }),
    value: () => keyed(5_000),
  },
  // Texts of arguments
  { title: 'text: 100,000 keys', verdict: 'keys', schema: () => object, text: () => JSON.stringify(keyed(100_000)) },
  {
    title: 'text: 150,000 numbers',
    verdict: 'values',
    schema: () => list({ items: { type: 'integer' } }),
    text: () => listText(many(150_000, (index) => index)),
  },
  {
    title: 'text: 7,900 numbers',
    verdict: 'valid',
    schema: () => list({ items: { type: 'integer' } }),
    text: () => listText(many(7_900, (index) => index)),
  },
  {
    title: 'text: 2,600 objects',
    verdict: 'valid',
    schema: () =>
      list({
        items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id'] },
      }),
    text: () => listText(many(2_600, (index) => `{"id":${index},"name":"n${index}"}`)),
  },
  {
    title: 'text: a string of 400,000 characters',
    verdict: 'valid',
    schema: () => ({ properties: { a: { type: 'string', minLength: 1 } } }),
    text: () => JSON.stringify({ a: 'x\n'.repeat(200_000) }),
  },
  {
    title: 'text: a string of 3,000,000 characters',
    verdict: 'characters',
    schema: () => object,
    text: () => JSON.stringify({ a: 'x'.repeat(3_000_000) }),
  },
  {
    title: 'text: 100,000 open brackets',
    verdict: 'values',
    schema: () => object,
    text: () => `{"a":${'['.repeat(100_000)}`,
  },
  {
    title: 'text: 7,900 open brackets',
    verdict: 'invalid',
    schema: () => object,
    text: () => `{"a":${'['.repeat(7_900)}`,
  },
  {
    title: 'text: an integer of 9,000 digits',
    verdict: 'valid',
    schema: () => ({ properties: { a: { type: 'integer', multipleOf: 3 } } }),
    text: () => `{"a":${'9'.repeat(9_000)}}`,
  },
  {
    title: 'text: 7,900 long integers',
    verdict: 'valid',
    schema: () => list({ items: { minimum: 1 } }),
    text: () => listText(many(7_900, () => '9'.repeat(20))),
  },
]
