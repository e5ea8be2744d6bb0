// docs/security.md promises nothing without a test: every section names some, and each named one exists.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../layers/source.js'

const [, ...sections] = readFileSync(join(root, 'docs/security.md'), 'utf8').split(/^## /m)
const named = sections.flatMap((section) =>
  [...section.matchAll(/^- `(test\/[^`]+)`: "(.+)"$/gm)].map(([, file = '', name = '']) => ({
    heading: section.split('\n', 1)[0] ?? '',
    file,
    name,
  })),
)

test.each(sections.map((section) => section.split('\n', 1)[0]))('"%s" names tests', (heading) => {
  expect(named.filter((item) => item.heading === heading).length).toBeGreaterThan(0)
})

test.each(named)('$file has "$name"', ({ file, name }) => {
  const path = join(root, file)
  expect(existsSync(path)).toBe(true)
  expect(namesIn(readFileSync(path, 'utf8'))).toContain(name)
})

/** What tests, groups and rows of tables are called in a file. */
function namesIn(text: string): readonly string[] {
  const calls = text.matchAll(/\b(?:test|it|describe)(?:\.each(?:<[^>]*>)?\([^)]*\))?\(\s*(['"`])(.+?)\1,/g)
  const rows = text.matchAll(/\bname: (['"`])(.+?)\1/g)
  const lists = text.matchAll(/^\s*\[?\s*(['"`])(.+?)\1,(?= [[{]|$)/gm)
  return [...calls, ...rows, ...lists].map(([, , name = '']) => name)
}
