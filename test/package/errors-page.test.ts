// docs/errors.md speaks of every code, category and rule that the sources have.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toolErrorCategories } from '../../src/conversation/messages.js'
import { errorCodes } from '../../src/errors/error.js'
import { specRules } from '../../src/tools/spec-rules.js'
import { root } from '../layers/source.js'

const [, codes = '', tools = '', rules = ''] = readFileSync(join(root, 'docs/errors.md'), 'utf8').split(/^## /m)

test.each([
  ['code', codes, Object.keys(errorCodes)],
  ['category', tools, [...toolErrorCategories]],
  ['rule', rules, Object.keys(specRules)],
])('every %s has a row that says something, in order', (_, section, names) => {
  const rows = [...section.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)]
  expect(rows.map(([, name]) => name)).toEqual(names)
  for (const [, , text = ''] of rows) for (const cell of text.split(' | ')) expect(cell.trim()).not.toBe('')
})

test('whether to try again is what the errors say', () => {
  const again = [...codes.matchAll(/^\| `([a-z_]+)` \|.* \| (yes|no) \|$/gm)].map(([, code, answer]) => [
    code,
    answer === 'yes',
  ])
  expect(Object.fromEntries(again)).toEqual(errorCodes)
})
