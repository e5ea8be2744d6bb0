// Where code from strings is forbidden (edge runtimes, a strict content security policy), raw schemas are checked all the same.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { root } from '../layers/source.js'

const program = (door: string): string => `
  import { decodeArguments, importTool } from ${JSON.stringify(door)}
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(x|y)+$' } }, required: ['a'] }
  const call = { type: 'tool_call', id: '1', name: 't', arguments: '{"a":"xy"}' }
  const { tool } = importTool({ name: 't', parameters: schema })
  let forbidden = false
  try { new Function('return 1') } catch { forbidden = true }
  console.log(JSON.stringify([forbidden, decodeArguments(call, schema), tool.checkInput({ a: 1 }).ok]))`

test('a JSON Schema is checked where generated code is forbidden', () => {
  const door = pathToFileURL(join(root, 'dist/index.js')).href
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', program(door)]
  expect(JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))).toEqual([true, { a: 'xy' }, false])
})
