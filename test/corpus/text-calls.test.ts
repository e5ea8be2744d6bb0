// The raw texts of local models: what is recovered is what the source says, and nothing is recovered where it says nothing.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/types.js'
import { findCalls } from '../../src/model/text-calls/find-calls.js'

interface RawText {
  readonly id: string
  readonly format: string
  readonly text: string
  /** `null`: the source does not say. */
  readonly expected: readonly { readonly name: string; readonly arguments: string }[] | null
  readonly tools: readonly { readonly name: string; readonly parameters?: JsonObject }[] | null
}

const file = new URL('../../../shared/corpus/raw_text.jsonl', import.meta.url)
const isFound = existsSync(file)
if (!isFound) console.info('corpus not found, skipped')
const texts = (): readonly RawText[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RawText)

/** The calls found, arguments as values. A tool that the source expects counts as declared. */
function found({ text, tools, expected }: RawText): unknown {
  const declared = new Map<string, JsonObject | undefined>((expected ?? []).map(({ name }) => [name, undefined]))
  for (const tool of tools ?? []) declared.set(tool.name, tool.parameters)
  return (findCalls(text, declared, { bare: true })?.calls ?? []).map(({ name, arguments: args }) => ({
    name,
    arguments: JSON.parse(args) as unknown,
  }))
}

function wanted({ expected }: RawText): unknown {
  return expected?.map(({ name, arguments: args }) => ({ name, arguments: argumentsOf(args) }))
}

/** The arguments of a text that was cut are no JSON; they are never found. */
function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return `cut: ${text}`
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

describe.skipIf(!isFound)('raw texts', () => {
  test('a text with calls gives exactly those, or is left as it is; most give them', () => {
    const calling = texts().filter(({ expected }) => expected !== null && expected.length > 0)
    const exact = calling.filter((one) => same(found(one), wanted(one)))
    const wrong = calling.filter((one) => !exact.includes(one) && !same(found(one), []))
    console.info(`${exact.length} of ${calling.length} texts with calls are recovered exactly, ${wrong.length} wrongly`)
    expect(wrong.map(({ id }) => id)).toEqual([])
    expect(exact.length).toBeGreaterThanOrEqual(185)
  })

  test('a text without calls gives none', () => {
    const plain = texts().filter(({ expected }) => expected?.length === 0)
    expect(plain.length).toBe(110)
    expect(plain.filter((one) => !same(found(one), [])).map(({ id }) => id)).toEqual([])
  })
})
