import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolSpec } from '../../src/conversation/request.js'
import { isJsonObject } from '../../src/json/parse.js'
import { partsOf } from '../../src/offline/clauses.js'
import { datesIn, timesIn } from '../../src/offline/dates.js'
import { expressionsIn } from '../../src/offline/expressions.js'
import { offlineEngine } from '../../src/offline/index.js'
import { numberAt } from '../../src/offline/numbers.js'
import { readPassage } from '../../src/offline/passage.js'
import { identifierWords, similarity, stem, wordsOf } from '../../src/offline/words.js'
import { argsOf } from '../../src/tools/arguments.js'
import { importTool } from '../../src/tools/import-tool.js'
import { singleCalls } from './requests.js'
import { toolSet } from './tool-set.js'

const kinds = (text: string, kind: string): readonly string[] =>
  readPassage(text)
    .candidates.filter((each) => each.kind === kind)
    .map((each) => each.text)

describe('words', () => {
  test('stems bring forms of a word together', () => {
    for (const [a, b] of [
      ['files', 'file'],
      ['calculator', 'calculate'],
      ['cities', 'city'],
      ['running', 'run'],
      ['boxes', 'box'],
    ] as const) {
      expect(stem(a)).toBe(stem(b))
    }
    expect(similarity(stem('forecast'), stem('weather'))).toBe(0.5)
    expect(similarity('constructor', 'toString')).toBe(0)
  })

  test('identifiers are split at case, underscore and digits', () => {
    expect(identifierWords('getHTTPStatus2_forUser')).toEqual(['get', 'http', 'status', '2', 'for', 'user'])
  })

  test.each([
    ['seventeen', 17],
    ['twenty-three apples', 23],
    ['one hundred and five', 105],
    ['two thousand three hundred', 2300],
    ['a dozen eggs', 12],
    ['1,234.5', 1234.5],
    ['-5 degrees', -5],
    ['3 million', 3e6],
    ['5k', 5000],
  ])('%s is %d', (text, value) => {
    expect(numberAt(wordsOf(text), 0)?.value).toBe(value)
  })

  test('expressions in signs and words', () => {
    const found = (text: string): readonly string[] => expressionsIn(text, wordsOf(text)).map((each) => each.text)
    expect(found('what is (2 + 3) * 4?')).toEqual(['(2 + 3) * 4'])
    expect(found('add 5 to 7, then 3 times 4')).toEqual(['5 + 7', '3 * 4'])
    expect(found('five percent of two hundred')).toEqual(['5 / 100 * 200'])
    expect(found('add 5 eggs to the list')).toEqual([])
    expect(found('between 3 and 4')).toEqual([])
  })

  test('dates and times', () => {
    expect(datesIn('from 2026-03-04 to March 5, 2027 or 6 April').map(({ iso, text }) => iso ?? text)).toEqual([
      '2026-03-04',
      '2027-03-05',
      '6 April',
    ])
    expect(datesIn('31/12/2026 or 12/31/2026').map(({ iso }) => iso)).toEqual(['2026-12-31', '2026-12-31'])
    expect(datesIn('next Friday, tomorrow evening').map(({ text }) => text)).toEqual([
      'next Friday',
      'tomorrow evening',
    ])
    expect(timesIn("at 3pm, 14:05, noon, 12 am and 7 o'clock; not 25:00").map(({ clock }) => clock)).toEqual([
      '15:00',
      '14:05',
      '12:00',
      '00:00',
      '07:00',
    ])
  })

  test('values of fixed form', () => {
    expect(kinds('see ./a/b.txt, src/wire and /etc/hosts; 3 / 4', 'path')).toEqual([
      './a/b.txt',
      'src/wire',
      '/etc/hosts',
    ])
    expect(kinds('ask ann@example.com or http://x.example/a?b=c.', 'email')).toEqual(['ann@example.com'])
    expect(kinds('ask ann@example.com or http://x.example/a?b=c.', 'url')).toEqual(['http://x.example/a?b=c'])
    expect(kinds(`say "it's fine" or 'not so'`, 'quote')).toEqual(["it's fine", 'not so'])
    expect(kinds('order AB-123 and room B12', 'id')).toEqual(['AB-123', 'B12'])
    expect(kinds('Does New York or the Isle of Man lie in Asia?', 'name')).toEqual(['New York', 'Isle of Man', 'Asia'])
  })

  test('requests are cut at sentences and conjunctions, never inside quotes', () => {
    const cut = (text: string): readonly string[] => partsOf(text).map(({ start, end }) => text.slice(start, end))
    expect(cut('Do this. Then say "a, b and c", and go')).toEqual(['Do this.', 'Then say "a, b and c"', 'go'])
    expect(cut('f(1, 2) and g')).toEqual(['f(1, 2)', 'g'])
  })
})

describe('arguments by schema', () => {
  const engine = offlineEngine()
  const call = (text: string, properties: object, required: readonly string[] = Object.keys(properties)): unknown => {
    const tool: ToolSpec = {
      name: 'do_it',
      description: 'Does it',
      inputSchema: { type: 'object', properties, required } as never,
    }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }]
    const [first] = engine({ model: 'm', messages, tools: [tool], toolChoice: { tool: 'do_it' } }).toolCalls
    return first === undefined ? undefined : argsOf(first)
  }

  test('numbers, shares and units go where they belong', () => {
    const properties = {
      principal: { type: 'number' },
      rate: { type: 'number', description: 'Interest rate' },
      years: { type: 'integer' },
    }
    expect(call('interest on $5,000 at 4% for 3 years', properties)).toEqual({ principal: 5000, rate: 0.04, years: 3 })
  })

  test('directions are told by from and to', () => {
    const properties = {
      origin: { type: 'string' },
      destination: { type: 'string' },
      departure_date: { type: 'string' },
    }
    expect(call('find a train to Vienna from Graz on 2026-08-01', properties)).toEqual({
      origin: 'Graz',
      destination: 'Vienna',
      departure_date: '2026-08-01',
    })
  })

  test('lists, choices in lists, booleans and objects', () => {
    expect(call('sort [3, 1, 2]', { numbers: { type: 'array', items: { type: 'integer' } } })).toEqual({
      numbers: [3, 1, 2],
    })
    expect(call('the mean of 4, 8 and 15', { numbers: { type: 'array', items: { type: 'number' } } })).toEqual({
      numbers: [4, 8, 15],
    })
    expect(
      call('with olives and cheese', { toppings: { type: 'array', items: { enum: ['ham', 'cheese', 'olives'] } } }),
    ).toEqual({ toppings: ['olives', 'cheese'] })
    expect(call('a room without breakfast', { breakfast: { type: 'boolean' } })).toEqual({ breakfast: false })
    expect(call('a room with breakfast', { include_breakfast: { type: 'boolean' } })).toEqual({
      include_breakfast: true,
    })
    const address = {
      type: 'object',
      properties: { city: { type: 'string' }, zip: { type: 'integer' } },
      required: ['city'],
    }
    expect(call('ship it to Berlin', { address })).toEqual({ address: { city: 'Berlin' } })
  })

  test('references, alternatives and limits of the schema are followed', () => {
    const color = { anyOf: [{ type: 'null' }, { enum: ['red', 'green'] }] }
    expect(call('make it green at 250 or 40', { color, level: { type: 'integer', maximum: 100 } })).toEqual({
      color: 'green',
      level: 40,
    })
    const tool: ToolSpec = {
      name: 'paint',
      inputSchema: {
        type: 'object',
        properties: { size: { $ref: '#/$defs/size' } },
        required: ['size'],
        $defs: { size: { enum: ['small', 'large'] } },
      },
    }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'paint a large one' }] }]
    expect(engine({ model: 'm', messages, tools: [tool] }).toolCalls.map(argsOf)).toEqual([{ size: 'large' }])
  })
})

describe('robustness', () => {
  const engine = offlineEngine()
  const ask = (text: string, tools: readonly ToolSpec[]): number =>
    engine({ model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text }] }], tools }).toolCalls.length

  test('words and names of the object prototype are words and names', () => {
    const odd: ToolSpec = JSON.parse(
      '{"name":"constructor","description":"toString valueOf __proto__","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"hasOwnProperty":{"type":"number"}},"required":["__proto__"]}}',
    ) as ToolSpec
    const messages = [
      {
        role: 'user' as const,
        content: [{ type: 'text' as const, text: 'constructor __proto__ "x" hasOwnProperty 5' }],
      },
    ]
    const [call] = engine({ model: 'm', messages, tools: [odd], toolChoice: 'required' }).toolCalls
    expect(call?.arguments).toContain('"__proto__":"x"')
    expect(Object.prototype).not.toHaveProperty('x')
  })

  test('any text is answered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 30 }), words()), (text) => {
        expect(ask(text, toolSet)).toBeLessThanOrEqual(16)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['one word', 'a'.repeat(100_000)],
    ['dots', '.'.repeat(100_000)],
    ['slashes', 'a/'.repeat(50_000)],
    ['quotes', '"\''.repeat(50_000)],
    ['numbers', '1 + '.repeat(25_000)],
    ['conjunctions', 'Paris and '.repeat(10_000)],
    ['brackets', '(['.repeat(50_000)],
    ['at signs', 'a@b.'.repeat(25_000)],
    ['hyphens', 'a-'.repeat(50_000)],
  ])('100,000 characters of %s take no time to speak of', (_, text) => {
    const start = performance.now()
    ask(text, toolSet)
    expect(performance.now() - start).toBeLessThan(3_000)
  })

  test('a plain request with 20 tools takes a few milliseconds', () => {
    const more = toolSet.slice(5, 11).map((tool) => ({ ...tool, name: `other_${tool.name}` }))
    const tools = [...toolSet, ...more]
    expect(tools).toHaveLength(20)
    const run = (): void => {
      for (const [request] of singleCalls) ask(request, tools)
    }
    run()
    const start = performance.now()
    run()
    const each = (performance.now() - start) / singleCalls.length
    console.info(`offline engine: ${each.toFixed(1)} ms per request with 20 tools`)
    expect(each).toBeLessThan(100)
  })

  test('every fifteenth tool of the corpus can be given and called', () => {
    const corpus = new URL('../../../shared/corpus/tools.jsonl', import.meta.url)
    if (!existsSync(corpus)) {
      console.info('corpus not found, skipped')
      return
    }
    const lines = readFileSync(corpus, 'utf8').trim().split('\n')
    const specs = lines.filter((_, index) => index % 15 === 0).flatMap(specOf)
    expect(specs.length).toBeGreaterThan(100)
    const text =
      'Find 3 cheap items called "red box" in Paris, France from 2026-01-02 to 2026-01-05 at 5pm for ann@example.com'
    let valid = 0
    for (const spec of specs) {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }]
      const [call] = engine({ model: 'm', messages, tools: [spec], toolChoice: 'required' }).toolCalls
      expect(call?.name).toBe(spec.name)
      if (call !== undefined && isJsonObject(argsOf(call))) valid += 1
    }
    console.info(`offline engine: called ${valid} of ${specs.length} sampled tools of the corpus`)
    expect(valid).toBe(specs.length)
  })
})

function words(): fc.Arbitrary<string> {
  const pool = singleCalls.flatMap(([request]) => request.split(' '))
  return fc
    .array(fc.constantFrom(...pool, 'constructor', '__proto__', 'and', '"', ','), { maxLength: 25 })
    .map((list) => list.join(' '))
}

function specOf(line: string): readonly ToolSpec[] {
  try {
    return [importTool(JSON.parse(line) as never).tool.spec]
  } catch {
    return []
  }
}
