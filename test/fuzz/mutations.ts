// Ways to spoil an input: bytes, pieces, and JSON where the input has any.
import type { Randomness } from './randomness.js'

type Mutation = (input: Buffer, other: Buffer, random: Randomness) => Buffer

/** One to five mutations, one after the other. `other` lends pieces. */
export function mutate(input: Buffer, other: Buffer, random: Randomness): Buffer {
  let spoilt = input
  for (let times = 1 + random.below(5); times > 0; times -= 1) spoilt = random.pick(mutations)(spoilt, other, random)
  return spoilt.subarray(0, 2_000_000)
}

const flip: Mutation = (input, _, random) => {
  const copy = Buffer.from(input)
  for (let times = 1 + random.below(4); times > 0 && copy.length > 0; times -= 1) {
    const place = random.below(copy.length)
    copy[place] = random.below(2) === 0 ? (copy[place] ?? 0) ^ (1 << random.below(8)) : random.below(256)
  }
  return copy
}
const truncate: Mutation = (input, _, random) => input.subarray(0, random.below(input.length + 1))
const remove: Mutation = (input, _, random) => {
  const [from, to] = span(input, random)
  return Buffer.concat([input.subarray(0, from), input.subarray(to)])
}
const duplicate: Mutation = (input, _, random) => {
  const [from, to] = span(input, random)
  return Buffer.concat([input.subarray(0, to), input.subarray(from)])
}
const splice: Mutation = (input, other, random) => {
  const [from, to] = span(other, random)
  const place = random.below(input.length + 1)
  return Buffer.concat([input.subarray(0, place), other.subarray(from, to), input.subarray(place)])
}

function span(input: Buffer, random: Randomness): readonly [number, number] {
  const from = random.below(input.length + 1)
  return [from, Math.min(input.length, from + random.below(1 + random.pick([4, 40, 400])))]
}

/** Spoils one JSON text inside the input: all of it, or the JSON of one line. */
const inJson: Mutation = (input, _, random) => {
  const text = input.toString('utf8')
  const whole = spoiltJson(text, random)
  if (whole !== undefined) return Buffer.from(whole)
  const lines = text.split('\n')
  const place = random.below(lines.length)
  const line = lines[place] ?? ''
  const head = line.startsWith('data:') ? 'data: ' : ''
  const spoilt = spoiltJson(head === '' ? line : line.slice(5), random)
  if (spoilt === undefined) return flip(input, input, random)
  lines[place] = head + spoilt
  return Buffer.from(lines.join('\n'))
}

const mutations: readonly Mutation[] = [flip, truncate, remove, duplicate, splice, inJson, inJson, inJson, inJson]

/** Values that stand for text which JSON.stringify cannot write. */
const rawTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '@huge@': '9'.repeat(400),
    '@exponent@': '-1e999999',
    '@fraction@': `0.${'1'.repeat(300)}`,
    '@deep@': `${'['.repeat(700)}${']'.repeat(700)}`,
    '@deepObject@': `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
    '@abyss@': '['.repeat(20_000),
    '@surrogate@': '"\\ud800"',
    '@proto@': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '@twice@': '{"type":"a","type":"b"}',
  }),
)
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '{"a":1',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'x' },
  { text: 1 },
  ...rawTexts.keys(),
]
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'type',
  'role',
  'content',
  '',
  'a/b~c',
  '$note',
  '$$x',
]

function spoiltJson(text: string, random: Randomness): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const nodes: { readonly owner: Map<string, unknown> | unknown[]; readonly key: string | number }[] = []
  const root = collect(value, nodes)
  const node = nodes.length === 0 ? undefined : random.pick(nodes)
  if (node === undefined) return written(random.pick(values))
  const { owner, key } = node
  const action = random.below(6)
  if (Array.isArray(owner)) {
    if (action === 0) owner.splice(Number(key), 1)
    else if (action === 1) owner.push(owner[Number(key)])
    else owner[Number(key)] = random.pick(values)
  } else if (action === 0) owner.delete(String(key))
  else if (action === 1) owner.set(random.pick(keys), owner.get(String(key)))
  else if (action === 2) owner.set(random.pick(keys), random.pick(values))
  else owner.set(String(key), random.pick(values))
  return written(root)
}

/** JSON with objects as maps, so that every key is just a key; lists every place that holds a value. */
function collect(value: unknown, nodes: { owner: Map<string, unknown> | unknown[]; key: string | number }[]): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = []
    value.forEach((item, index) => {
      list.push(collect(item, nodes))
      nodes.push({ owner: list, key: index })
    })
    return list
  }
  if (typeof value !== 'object' || value === null) return value
  const map = new Map<string, unknown>()
  for (const [key, item] of Object.entries(value)) {
    map.set(key, collect(item, nodes))
    nodes.push({ owner: map, key })
  }
  return map
}

function written(value: unknown): string {
  if (typeof value === 'string') return rawTexts.get(value) ?? JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (value instanceof Map)
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${written(item)}`).join(',')}}`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${written(item)}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}
