// The official JSON Schema Test Suite, where it is present beside the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Json, JsonObject } from '../../src/json/types.js'

const folder = new URL('../../../shared/suites/json-schema/', import.meta.url)
export const isSuiteFound = existsSync(folder)
if (!isSuiteFound) console.info('JSON Schema Test Suite not found, skipped')

export type SuiteDraft = 'draft2020-12' | 'draft7'

export interface SuiteGroup {
  /** File and description. */
  readonly title: string
  readonly schema: JsonObject | boolean
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

/** The groups of one folder of the suite: '' for what is required, `optional/format` for formats. */
export function readGroups(
  draft: SuiteDraft,
  part = '',
  accepts: (file: string) => boolean = () => true,
): readonly SuiteGroup[] {
  const directory = new URL(`${draft}/${part === '' ? '' : `${part}/`}`, folder)
  return filesIn(directory)
    .filter(accepts)
    .flatMap((file) => {
      const groups = readJson(new URL(file, directory)) as unknown as readonly (SuiteGroup & { description: string })[]
      return groups.map(({ description, schema, tests }) => ({
        title: `${file}: ${description}`,
        schema: withDraft(schema, draft),
        tests,
      }))
    })
}

/** The suite says by its folder which draft a schema is written in; a tool says it with `$schema`. */
function withDraft(schema: JsonObject | boolean, draft: SuiteDraft): JsonObject | boolean {
  if (typeof schema === 'boolean' || draft !== 'draft7' || schema.$schema !== undefined) return schema
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

/** The documents that schemas of the suite refer to, by their URI, with the metaschemas of both drafts. */
export function readRemotes(): Readonly<Record<string, JsonObject | boolean>> {
  const remotes: { [uri: string]: JsonObject } = {}
  const directory = new URL('remotes/', folder)
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.json')) remotes[`http://localhost:1234/${file}`] = readJson(new URL(file, directory))
  }
  const metaschemas = new URL('../../node_modules/ajv/dist/refs/', import.meta.url)
  for (const file of ['json-schema-draft-07.json', ...jsonFilesBelow('json-schema-2020-12', metaschemas)]) {
    const schema = readJson(new URL(file, metaschemas))
    remotes[String(schema.$id).replace(/#$/, '')] = schema
  }
  return remotes
}

function jsonFilesBelow(name: string, base: URL): readonly string[] {
  const files = readdirSync(fileURLToPath(new URL(name, base)), { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.json')).map((file) => `${name}/${file}`)
}

function filesIn(directory: URL): readonly string[] {
  return readdirSync(directory).filter((file) => file.endsWith('.json'))
}

function readJson(file: URL): JsonObject {
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject
}
