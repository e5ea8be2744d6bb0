// Every tool definition of the corpus in every dialect: nothing throws, and each result is accepted by the dialect's oracle or refused
// with a reason. `npm run dialects` prints the counts.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { type DialectName, dialectNames } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { oracles } from '../../src/testing/schema-oracles.js'
import { importTool } from '../../src/tools/import-tool.js'
import { expectStrict } from './openai-helper.js'

const file = new URL('../../../shared/corpus/tools.jsonl', import.meta.url)

interface Usable {
  readonly id: string
  readonly schema: JsonObject
}

function usable(): { readonly schemas: readonly Usable[]; readonly unusable: number; readonly total: number } {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const schemas: Usable[] = []
  for (const line of lines) {
    const definition = JSON.parse(line) as { readonly id: string }
    try {
      const { inputSchema } = importTool(definition).tool.spec
      if (inputSchema !== undefined) schemas.push({ id: definition.id, schema: inputSchema })
    } catch (error) {
      if (!ToolwireError.is(error)) throw error
    }
  }
  return { schemas, unusable: lines.length - schemas.length, total: lines.length }
}

interface Counts {
  same: number
  lowered: number
  mapped: number
  refused: number
}

function countsOf(dialect: DialectName, schemas: readonly Usable[]): { counts: Counts; faults: readonly string[] } {
  const counts: Counts = { same: 0, lowered: 0, mapped: 0, refused: 0 }
  const faults: string[] = []
  for (const { id, schema } of schemas) {
    const result = restrict(schema, dialect)
    if (result.refused !== undefined) {
      counts.refused += 1
      continue
    }
    counts[result.mapping !== undefined ? 'mapped' : result.schema === schema ? 'same' : 'lowered'] += 1
    const problems = oracles[dialect](result.schema)
    if (problems.length > 0) faults.push(`${id} ${problems.slice(0, 3).join('; ')}`)
    const again = restrict(result.schema, dialect)
    if (again.refused !== undefined || again.mapping !== undefined || again.schema !== result.schema)
      faults.push(`${id} is lowered again`)
    if (dialect === 'openai_strict') faults.push(...openaiFaults(id, result.schema))
  }
  return { counts, faults }
}

/** The rules of the openai package's own helper: it must take the schema, and have nothing to change in it. */
function openaiFaults(id: string, schema: JsonObject): readonly string[] {
  try {
    expectStrict(schema)
    return []
  } catch (error) {
    return [`${id} openai: ${String(error).slice(0, 200)}`]
  }
}

describe.skipIf(!existsSync(file))(existsSync(file) ? 'the corpus' : 'corpus not found, skipped', () => {
  const { schemas, unusable, total } = existsSync(file) ? usable() : { schemas: [], unusable: 0, total: 0 }

  test('most definitions are usable', () => {
    expect(schemas.length).toBeGreaterThan(0.95 * total)
    if (process.env.DIALECT_TABLE) console.log(`${total} definitions, ${unusable} refused by importTool`)
  })

  test.each(dialectNames)('%s: every schema is accepted by the oracle or refused with a reason', (dialect) => {
    const { counts, faults } = countsOf(dialect, schemas)
    if (process.env.DIALECT_TABLE) console.log(dialect.padEnd(20), JSON.stringify(counts))
    expect(faults).toEqual([])
  })
})
