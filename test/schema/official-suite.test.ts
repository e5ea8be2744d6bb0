// Every required test of the official suite in both drafts, on a schema as it is and on the schema of an imported tool.
// No verdict may be wrong. What gets no verdict is refused with a typed error, and each kind of refusal is counted here.
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { bundleSchema } from '../../src/schema/bundle.js'
import { takeSchema } from '../../src/schema/intake.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { upgradeSchema } from '../../src/schema/upgrade.js'
import { importTool } from '../../src/tools/import-tool.js'
import { isSuiteFound, readGroups, readRemotes, type SuiteDraft, type SuiteGroup } from './official-suite.js'

/** The verdict, or why there is none. */
type Verdict = boolean | { readonly refused: string }
type Judge = (schema: JsonObject | boolean) => (value: Json) => Verdict | Promise<Verdict>

interface Tally {
  passed: number
  wrong: string[]
  refused: { [rule: string]: number }
}

async function tally(groups: readonly SuiteGroup[], judge: Judge): Promise<Tally> {
  const result: Tally = { passed: 0, wrong: [], refused: {} }
  for (const { title, schema, tests } of groups) {
    const check = judge(schema)
    for (const { description, data, valid } of tests) {
      const verdict = await check(data)
      if (typeof verdict === 'object') result.refused[verdict.refused] = (result.refused[verdict.refused] ?? 0) + 1
      else if (verdict === valid) result.passed += 1
      else result.wrong.push(`${title}: ${description}`)
    }
  }
  return result
}

function refusalOf(error: unknown): { readonly refused: string } {
  if (!ToolwireError.is(error) || error.code !== 'invalid_tool_spec') throw error
  return { refused: String((error.detail as { readonly rule?: string }).rule) }
}

/** The validator as every front door uses it. */
const asWritten: Judge = (schema) => {
  const taken = takeSchema(schema, 'input')
  if (!taken.ok) return () => ({ refused: taken.problem.rule })
  return async (value) => {
    try {
      const checked = await taken.check(value)
      return !checked.ok && checked.limit !== undefined ? { refused: checked.limit } : checked.ok
    } catch (error) {
      return refusalOf(error)
    }
  }
}

const bundled: Judge = (schema) => asWritten(typeof schema === 'boolean' ? schema : bundleSchema(schema, remotes))

/** Written again with plain references in draft 2020-12. Where references depend on the way they are reached, that cannot be done. */
const upgraded: Judge = (schema) => {
  if (typeof schema === 'boolean') return asWritten(schema)
  const result = upgradeSchema(bundleSchema(schema, remotes))
  return result.isDynamic ? () => ({ refused: 'dynamic' }) : asWritten(result.schema)
}

/** What an import says in a note when it leaves out a rule that it was given. */
const leavesOut = /^an enum without values is dropped$|is not a known dialect and is dropped/

/** As the schema of an argument, because the arguments themselves are always an object. */
const asArgument: Judge = (schema) => {
  return importedTool(argumentOf(typeof schema === 'boolean' ? { allOf: [schema] } : schema))
}

function argumentOf({ $schema, ...rest }: JsonObject, required: readonly string[] = []): JsonObject {
  const value = { $id: 'https://tool.test/', ...rest }
  const root = { $id: 'https://tool.test/root', type: 'object', properties: { value }, required }
  return $schema === undefined ? root : { $schema, ...root }
}

const asBundledArgument: Judge = (schema) =>
  asArgument(typeof schema === 'boolean' ? schema : bundleSchema(schema, remotes))

function importedTool(inputSchema: JsonObject): (value: Json) => Promise<Verdict> | Verdict {
  try {
    const { tool, notes } = importTool({ name: 'judge', inputSchema })
    const left = notes.find(({ message }) => leavesOut.test(message))
    if (left !== undefined) return () => ({ refused: `note: ${left.path.split('/').at(-1)}` })
    return async (value) => {
      const checked = await tool.checkInput({ value })
      return !checked.ok && checked.limit !== undefined ? { refused: checked.limit } : checked.ok
    }
  } catch (error) {
    const refused = refusalOf(error)
    return () => refused
  }
}

const remotes = isSuiteFound ? readRemotes() : {}

interface Expected {
  readonly passed: number
  readonly refused: { readonly [rule: string]: number }
}

function suite(
  title: string,
  judge: Judge,
  expected: Readonly<Record<SuiteDraft, Expected>>,
  accepts?: (file: string) => boolean,
): void {
  for (const draft of ['draft2020-12', 'draft7'] as const) {
    test(`${draft}: ${title}`, async () => {
      const { passed, wrong, refused } = await tally(
        accepts === undefined ? readGroups(draft) : readGroups(draft, 'optional', accepts),
        judge,
      )
      console.info(`${draft}, ${title}: ${passed} passed, ${wrong.length} wrong, refused ${JSON.stringify(refused)}`)
      expect(wrong).toEqual([])
      expect({ passed, refused }).toEqual(expected[draft])
    })
  }
}

describe.skipIf(!isSuiteFound)('the official JSON Schema Test Suite', () => {
  suite('a schema without the documents it refers to', asWritten, {
    'draft2020-12': {
      passed: 1222,
      refused: { schema_not_json: 18, ref_unresolved: 48, enum_values: 6, dialect_unknown: 5 },
    },
    draft7: { passed: 882, refused: { schema_not_json: 18, ref_unresolved: 27 } },
  })
  suite('a schema bundled with the documents it refers to', bundled, {
    'draft2020-12': { passed: 1270, refused: { schema_not_json: 18, enum_values: 6, dialect_unknown: 5 } },
    draft7: { passed: 909, refused: { schema_not_json: 18 } },
  })
  suite('a bundled schema that is written again with plain references', upgraded, {
    'draft2020-12': { passed: 1232, refused: { schema_not_json: 18, dynamic: 38, enum_values: 6, dialect_unknown: 5 } },
    draft7: { passed: 909, refused: { schema_not_json: 18 } },
  })
  suite('an argument of an imported tool', asArgument, {
    'draft2020-12': { passed: 1240, refused: { ref_unresolved: 48, 'note: enum': 6, 'note: $schema': 5 } },
    draft7: { passed: 900, refused: { ref_unresolved: 27 } },
  })
  suite('an argument of an imported tool, with the documents it refers to', asBundledArgument, {
    'draft2020-12': { passed: 1288, refused: { 'note: enum': 6, 'note: $schema': 5 } },
    draft7: { passed: 927, refused: {} },
  })
  suite(
    'the optional tests but those of formats, with the documents they refer to',
    bundled,
    {
      'draft2020-12': { passed: 158, refused: { dialect_unknown: 4 } },
      // `contentMediaType` and `contentEncoding` are never checked: 4 of the 18 tests in that file of draft 7 expect that they are.
      draft7: { passed: 108, refused: {} },
    },
    (file) => file !== 'content.json',
  )

  test.each([
    ['draft2020-12', 186],
    ['draft7', 153],
  ] as const)(
    '%s: a schema lowered for a provider accepts every valid value, or says that it is narrower',
    async (draft, count) => {
      const refused: string[] = []
      let accepted = 0
      for (const { title, schema, tests } of readGroups(draft)) {
        const root = typeof schema === 'boolean' ? undefined : bundleSchema(argumentOf(schema, ['value']), remotes)
        const original = root === undefined ? () => ({ refused: 'boolean' }) : asWritten(root)
        const lowered = root === undefined ? undefined : restrict(root, 'gemini_json_schema')
        if (lowered === undefined || lowered.refused !== undefined || lowered.mapping !== undefined) continue
        if (lowered.losses.some(({ kind }) => kind === 'narrowed')) continue
        const check = asWritten(lowered.schema)
        for (const { description, data } of tests) {
          if ((await original({ value: data })) !== true) continue
          if ((await check({ value: data })) === true) accepted += 1
          else refused.push(`${title}: ${description}`)
        }
      }
      expect({ refused, accepted }).toEqual({ refused: [], accepted: count })
    },
  )
})
