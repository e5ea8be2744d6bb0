// Patterns of model names in routes and keys: a star stands for anything, also for nothing, and everything else for itself.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matches } from '../../src/gateway/pattern.js'

test.each<[string, readonly string[], readonly string[]]>([
  ['*', ['', 'a', 'a/b'], []],
  ['gpt-6', ['gpt-6'], ['gpt-6-mini', 'my-gpt-6', 'GPT-6', '']],
  ['gpt-*', ['gpt-', 'gpt-6'], ['gpt', 'a-gpt-6']],
  ['*-mini', ['-mini', 'gpt-6-mini'], ['gpt-6-mini-2']],
  ['a*b', ['ab', 'axb', 'abab'], ['a', 'b', 'abx', 'xab']],
  ['a*a', ['aa', 'aba'], ['a']],
  ['a*b*c', ['abc', 'a1b2c', 'abbcc'], ['acb', 'ab', 'bc']],
  ['*b*', ['b', 'abc'], ['ac', '']],
  ['**', ['', 'x'], []],
  ['a.c', ['a.c'], ['abc']],
  ['ab*bc', ['abbc', 'ab-bc'], ['abc']],
])('%s', (pattern, matching, others) => {
  for (const name of matching) expect([name, matches(pattern, name)]).toEqual([name, true])
  for (const name of others) expect([name, matches(pattern, name)]).toEqual([name, false])
})

test('agrees with an expression in which each star is anything', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 }), (pattern, name) => {
      const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's')
      expect(matches(pattern, name)).toBe(expression.test(name))
    }),
    { numRuns: 1000 },
  )
})
