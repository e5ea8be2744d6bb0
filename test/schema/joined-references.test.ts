// `allOf` with references that cannot be joined: the rest of the schema is still lowered, and what is missing is reported.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { dialectNames, dialects } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'

const lowering = dialectNames.filter((name) => dialects[name].keywords !== 'all')

const own: JsonObject = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const notJoined = 'cannot be joined'

/** A schema whose `allOf` holds a reference beside members of its own. */
const joining = (ref: string, definitions: JsonObject): JsonObject => ({
  ...own,
  allOf: [{ $ref: ref }, { required: ['id'] }],
  $defs: definitions,
})

describe.each(lowering)('%s: allOf with a reference', (dialect) => {
  test.each<[string, string, JsonObject]>([
    ['that leads nowhere', '#/$defs/missing', {}],
    ['to `true`', '#/$defs/any', { any: true }],
    ['into a circle of two', '#/$defs/a', { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }],
  ])('%s is reported, and the properties beside it stay', (_, ref, definitions) => {
    const { schema, losses, refused } = restrict(joining(ref, definitions), dialect)
    expect(refused).toBeUndefined()
    expect(schema).toMatchObject({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })
    const reported = losses.filter(({ message }) => message.includes(notJoined))
    expect(reported).not.toEqual([])
    for (const loss of reported) expect(loss).toMatchObject({ kind: 'widened', path: '' })
    expect(JSON.stringify(schema)).not.toContain('$defs')
  })

  test('to `false` leaves no value, so the schema is refused', () => {
    expect(restrict(joining('#/$defs/none', { none: false }), dialect).refused).toBeTruthy()
  })

  test('to an object takes its properties, without a report', () => {
    const named: Json = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const { schema, losses } = restrict(joining('#/$defs/named', { named }), dialect)
    expect(Object.keys(schema.properties as JsonObject).toSorted()).toEqual(['id', 'name'])
    expect((schema.required as string[]).toSorted()).toEqual(['id', 'name'])
    expect(losses.filter(({ message }) => message.includes(notJoined))).toEqual([])
  })

  test('through a chain of forty definitions is followed to its end', () => {
    const { schema, losses } = restrict(joining('#/$defs/d0', chain(40)), dialect)
    expect(Object.keys(schema.properties as JsonObject)).toContain('far')
    expect(losses.filter(({ kind }) => kind === 'widened')).toEqual([])
  })

  test('through a chain of sixty definitions is taken for a circle, and reported', () => {
    const { schema, losses } = restrict(joining('#/$defs/d0', chain(60)), dialect)
    expect(JSON.stringify(schema)).not.toContain('far')
    expect(losses).toContainEqual(expect.objectContaining({ kind: 'widened', path: '' }))
  })
})

/** Definitions of which each leads to the next one only; the last has a property. */
function chain(length: number): JsonObject {
  const definitions: { [name: string]: Json } = { [`d${length}`]: { properties: { far: { type: 'string' } } } }
  for (let index = 0; index < length; index += 1) {
    definitions[`d${index}`] = { allOf: [{ $ref: `#/$defs/d${index + 1}` }] }
  }
  return definitions
}
