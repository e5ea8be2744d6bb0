// Patterns against the runtime's own engine: the same verdicts, without its backtracking.
import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { automaton, type Instruction, type Program } from '../../src/schema/automaton.js'
import { linearPattern } from '../../src/schema/pattern.js'
import { programOf } from '../../src/schema/pattern-syntax.js'

function program(source: string): Program {
  const written = programOf(source, Number.POSITIVE_INFINITY)
  if (written === undefined) throw new Error(`no program for ${source}`)
  return written
}

/** Begins at every character: the runtime's own search also finds `\B` between the halves of a pair. */
function runtimeTest(source: string, text: string): boolean {
  const expression = new RegExp(source, 'uy')
  for (let index = 0; index <= text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) {
    expression.lastIndex = index
    if (expression.test(text)) return true
  }
  return false
}

const smile = '\u{1f600}'
const [high, low] = ['\ud83d', '\ude00']

describe('the automaton says what the runtime says', () => {
  test.each<[source: string, matching: readonly string[], other: readonly string[]]>([
    ['', ['', 'a'], []],
    ['a', ['a', 'xay'], ['', 'b']],
    ['^a$', ['a'], ['ab', 'ba', 'a\n', '\na']],
    ['a^|$b|c', ['c'], ['a', 'b', 'ab']],
    ['^|x', ['', 'y'], []],
    ['a|', ['b', ''], []],
    ['(?:)', ['', 'b'], []],
    ['^(|a)$', ['', 'a'], ['aa']],
    ['^(a|ab)(c|bcd)$', ['abcd', 'ac', 'abc'], ['ab', 'abbc']],
    ['^(?<year>\\d{4})-(?<month>\\d\\d)$', ['2026-11'], ['2026-1', '226-11']],
    ['^a*?b+?c??$', ['b', 'aabbc'], ['ac', 'abcc']],
    ['^a{2}$', ['aa'], ['a', 'aaa']],
    ['^a{2,}$', ['aa', 'aaaa'], ['a']],
    ['^a{0}b{0,0}$', [''], ['a', 'b']],
    ['^a{1,3}?$', ['a', 'aaa'], ['', 'aaaa']],
    ['^(a{2}){2,3}$', ['aaaa', 'aaaaaa'], ['aa', 'aaaaa', 'aaaaaaaa']],
    ['^((a*)*)*b$', ['b', 'aab'], ['a', 'ba']],
    ['^(^a|b$|$)+$', ['a', 'b', 'ab', ''], ['ba', 'aa']],
    ['^(a?){3}b', ['b', 'aab', 'aaab'], ['aaaab']],
    ['\\bcat\\b', ['cat', 'a cat.', '-cat-', `${smile}cat`], ['cats', '_cat', 'scat']],
    ['\\Bcat\\B', ['scats'], ['cat', 'cats', 'scat']],
    ['^\\b|\\b$', ['a', 'a-', '-a'], ['', '-', '-a-']],
    ['(\\b|x)+y', ['y', 'xy', 'axy'], ['']],
    ['\\B', ['', '-', 'ab'], ['a', 'a-b', `a${smile}b`]],
    ['^.$', ['a', smile, high, low, ' ', '\u0085'], ['', '\n', '\r', '\u2028', '\u2029', 'ab', smile + low]],
    ['^[^]$', ['\n', 'a', smile], ['']],
    ['[]', [], ['', 'a']],
    ['^[a-c\\d\\]_-]$', ['b', '7', ']', '-', '_'], ['d', 'a-']],
    ['^[^a-c]$', ['d', smile, '\n'], ['a', smile + smile]],
    ['^[\\b]$', ['\b'], ['b']],
    [`^[a-${smile}]$`, ['b', smile, high], ['A']],
    [`^${smile}{2}$`, [smile + smile], [smile, smile + low]],
    ['^\\uD83D\\uDE00+$', [smile, smile + smile], [high]],
    ['^[\\uD83D\\uDE00]$', [smile], [high, low]],
    ['^\\uD83D$', [high], [smile]],
    ['\\uDE00', [low, `a${low}`], [smile]],
    [`\\uD83D${low}`, [], [smile]],
    ['^\\u{1F600}\\u0041\\x41\\cA\\0$', [`${smile}AA\u0001\0`], [`${smile}AAA0`]],
    ['^\\f\\n\\r\\t\\v$', ['\f\n\r\t\v'], ['fnrtv']],
    ['^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$', ['^$\\.*+?()[]{}|/'], ['']],
    ['^\\d\\D\\w\\W\\s\\S$', ['1a_-\u00a0x'], ['١a_- x', '11_- x']],
    ['^\\p{Lu}\\P{Lu}\\p{Script=Greek}$', ['Äaα'], ['ääα', 'ÄÄα']],
    ['^[\\p{L}-]+$', ['Grüße-δ'], ['a b']],
  ])('%s', (source, matching, other) => {
    const matches = automaton(program(source))
    for (const text of [...matching, ...other]) {
      expect([text, matches(text)]).toEqual([text, matching.includes(text)])
      expect([text, runtimeTest(source, text)]).toEqual([text, matching.includes(text)])
    }
  })

  const atoms = [
    ...[
      'a',
      'b',
      '_',
      '-',
      '1',
      'é',
      smile,
      high,
      '.',
      '\\.',
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[ab]',
      '[^a]',
    ],
    ...['[]', '[^]', '[\\w-]', '[^\\W_]', `[b-${smile}]`, '\\uD83D\\uDE00', '\\uD83D', '\\uDE00', '\\u{62}', '\\p{L}'],
  ]
  const times = ['', '', '', '*', '+', '?', '*?', '+?', '??', '{0}', '{2}', '{1,}', '{0,2}', '{1,3}?']
  const { expression } = fc.letrec<{ expression: string; part: string; group: string }>((tie) => ({
    expression: fc
      .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((options) => options.map((parts) => parts.join('')).join('|')),
    part: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...times)).map((pair) => pair.join('')),
      fc.constantFrom('^', '$', '\\b', '\\B'),
      tie('group'),
    ),
    group: fc
      .tuple(fc.constantFrom('(', '(?:'), tie('expression'), fc.constantFrom(...times))
      .map(([open, inside, often]) => `${open}${inside})${often}`),
  }))
  const texts = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', '_', '-', '.', '1', ' ', '\n', '\u2028', 'é', smile, high, low),
    maxLength: 8,
  })

  test('on any expression and text', () => {
    fc.assert(
      fc.property(expression, fc.array(texts, { minLength: 4, maxLength: 4 }), (source, some) => {
        const matches = automaton(program(source))
        expect(some.map(matches)).toEqual(some.map((text) => runtimeTest(source, text)))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('what a pattern may be', () => {
  test.each([
    ['look-ahead', 'a(?=b)'],
    ['negative look-ahead', '^(?!a)b'],
    ['look-behind', '(?<=a)b'],
    ['negative look-behind', '(?<!a)b'],
    ['a back reference', '(a)\\1'],
    ['a named back reference', '(?<x>a)\\k<x>'],
    ['flags, which not every runtime knows', '(?i:a)'],
    ['another language', '(?P<x>a)'],
    ['an escape with a meaning elsewhere', '\\Aab\\z'],
    ['classes of Posix', '^[[:alpha:]]+$'],
    ['what is not well-formed', 'a**'],
    ['a class that is a set difference elsewhere', '^[\\d--_]+$'],
    ['a class with a range after a class', '^[\\w-a-z]+$'],
    ['an escape in the name of a group', '(?<a\\>.)'],
    ['an escape in the start of a group', '(?\\:a)'],
    ['too many repetitions', '(a{1000}){1000}'],
    ['more repetitions than a number holds', `(ab){${'9'.repeat(400)}}`],
    ['groups in groups', '('.repeat(500) + ')'.repeat(500)],
    ['a long pattern', '('.repeat(100_000)],
  ])('unsupported: %s', (_, source) => {
    expect(linearPattern(source)).toBe(undefined)
  })

  test.each<[source: string, matching: readonly string[], other: readonly string[]]>([
    ['^(a\\-b|\\_|\\@\\ \\"\\\'\\#)$', ['a-b', '_', '@ "\'#'], ['a\\-b', 'b']],
    ['^([\\w-.]+|[a\\-\\_])@$', ['a-b.c@', '_@'], ['a b@', 'é@']],
    ['^([\\s-\\d]|x)+$', ['1 -2', 'x'], ['a']],
    ['^(\\\\_|\\\\\\_)$', ['\\_'], ['_', '\\\\_']],
    ['^({|}|]|a{,3}|b{2}|x{y}-)$', ['{', '}', ']', 'a{,3}', 'bb', 'x{y}-'], ['aaa', 'b']],
    ['^[^\\"]+$', ['a'], ['"']],
  ])('written without the flag u: %s', (source, matching, other) => {
    expect(() => new RegExp(source, 'u')).toThrow(SyntaxError)
    for (const text of [...matching, ...other]) {
      expect([text, linearPattern(source)?.test(text)]).toEqual([text, matching.includes(text)])
      expect([text, new RegExp(source).test(text)]).toEqual([text, matching.includes(text)])
    }
  })

  test('characters are code points whatever the pattern needs', () => {
    expect(linearPattern('^(.|\\-)$')?.test(smile)).toBe(true)
    expect(linearPattern('^\\p{L}\\-(a|\\u{41})$')?.test('é-A')).toBe(true)
  })
})

describe('any text as a pattern', () => {
  const tokens =
    'a b - _ : = ! < > , 1 { } ( ) [ ] ^ $ . * + ? | / & ~ (?: (?= (?! (?<= (?<a> (?< \\> \\: \\- \\_ \\d \\w \\D \\. \\] \\\\ \\b \\k<a> \\1 [^ -- && {1} {1,2} {,2} [\\w- \\d- -\\s'.split(
      ' ',
    )
  const patterns = fc.oneof(
    fc.array(fc.constantFrom(...tokens), { maxLength: 8 }).map((list) => list.join('')),
    fc
      .array(fc.constantFrom('a', 'b', '-', '--', '_', '\\d', '\\w', '\\-', '\\_', '^', '.', '&&', '['), {
        maxLength: 6,
      })
      .map((list) => `^[${list.join('')}]+$`),
  )
  const texts = fc.string({
    unit: fc.constantFrom('a', 'b', '-', '_', ':', '>', '<', '1', '.', '^', ' ', '[', '&'),
    maxLength: 6,
  })

  test('it is refused, or ECMAScript accepts it and gives the same verdicts', () => {
    let accepted = 0
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 8, maxLength: 8 }), (source, some) => {
        const pattern = linearPattern(source)
        if (pattern === undefined) return
        accepted += 1
        const expected = expressionOf(source)
        expect([source, ...some.map((text) => pattern.test(text))]).toEqual([
          source,
          ...some.map((text) => expected?.test(text)),
        ])
      }),
      { numRuns: 5_000 },
    )
    expect(accepted).toBeGreaterThan(500)
  })

  /** With the flag u as JSON Schema wants, or without it where that is what makes it well-formed. */
  function expressionOf(source: string): RegExp | undefined {
    for (const flags of ['u', '']) {
      try {
        return new RegExp(source, flags)
      } catch {}
    }
    return undefined
  }
})

describe('the work', () => {
  /** Counts the instructions visited. */
  function counted(source: string): { matches: (text: string) => boolean; size: number; visits: () => number } {
    const { instructions, start } = program(source)
    let visits = 0
    const watched = new Proxy(instructions, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) visits += 1
        return Reflect.get(target, key) as Instruction
      },
    })
    return { matches: automaton({ instructions: watched, start }), size: instructions.length, visits: () => visits }
  }
  /** Without a period. */
  function coins(length: number): string {
    let seed = 1
    return Array.from({ length }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return seed >>> 31 === 0 ? 'a' : 'b'
    }).join('')
  }

  test.each(['^(a+)+$', '(a*)*b', '(a|a)*$b', '(a|aa)+$c'])('%s: a longer text visits nothing anew', (source) => {
    const { matches, visits } = counted(source)
    expect(matches('a'.repeat(100))).toBe(runtimeTest(source, 'aaaa'))
    const before = visits()
    for (const text of ['a'.repeat(50), 'a'.repeat(100_000)]) matches(text)
    expect(visits()).toBe(before)
  })

  test('states that double are visited once for each character, forgotten and found again', () => {
    const text = coins(4_000)
    const { matches, size, visits } = counted('(a|b)*a(a|b){15}$')
    const made = visits()
    const verdicts = [4_000, 3_999, 3_998, 3_997].map((end) => matches(text.slice(0, end)))
    expect(verdicts).toEqual([3_984, 3_983, 3_982, 3_981].map((place) => text[place] === 'a'))
    expect(new Set(verdicts).size).toBe(2)
    // Each of the four texts begins with the others; with all states remembered only the first would be visited.
    expect(visits() - made).toBeGreaterThan(2 * 4_000 * 16)
    expect(visits() - made).toBeLessThan(4 * 4_000 * 2 * size)
  })

  test('more characters than are remembered', () => {
    const source = '^([\\u4e00-\\u5fff]|[^\\u5000-\\u6fff])+$'
    const matches = automaton(program(source))
    const text = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
    for (const longer of [`${text}\u{20000}`, `${text}\u6000`]) expect(matches(longer)).toBe(longer.endsWith('\udc00'))
  })

  test('more kinds of characters than are remembered', () => {
    const letters = Array.from({ length: 400 }, (_, index) => String.fromCodePoint(0x4e00 + index))
    const matches = automaton(program(`^(${letters.join('|')})+$`))
    const text = letters.join('')
    expect([text + text, `${text}a`, `a${text}`].map(matches)).toEqual([true, false, false])
  })
})

describe('patterns of tools met in the wild', () => {
  function patternsIn(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return []
    const { pattern, patternProperties } = value as { pattern?: unknown; patternProperties?: unknown }
    const own = typeof pattern === 'string' ? [pattern] : []
    return [...own, ...Object.keys(patternProperties ?? {}), ...Object.values(value).flatMap(patternsIn)]
  }
  const samples = [
    ...['', 'a', 'A1', '2026-11-16', '1.2.3', '1.2.3-rc.1+x', 'en-GB', '#a0B1c2', 'https://example.org/swagger.json'],
    ...['a/b', 'a:b', '@x', 'lib\\net.dll', '{x}', 'out', '12h30m', '-', 'a b', '9781234567897', smile, 'a\nb', 'x.js'],
  ]

  test('all are supported but those that look around, and say what the runtime says', () => {
    const path = new URL('../../../shared/corpus/tools.jsonl', import.meta.url)
    if (!existsSync(path)) {
      console.log('corpus not found, skipped')
      return
    }
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    const sources = [...new Set(lines.flatMap((line) => patternsIn(JSON.parse(line))))]
    expect(sources.length).toBeGreaterThan(100)
    for (const source of sources) {
      const pattern = linearPattern(source)
      expect([source, pattern === undefined]).toEqual([source, /\(\?<?[=!]/.test(source)])
      if (pattern === undefined) continue
      const expected = samples.map((text) => runtimeTest(source, text))
      expect([source, samples.map((text) => pattern.test(text))]).toEqual([source, expected])
      expect([source, samples.map(automaton(program(source)))]).toEqual([source, expected])
    }
  })
})
