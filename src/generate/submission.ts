// The answer as a tool call: a tool whose parameters are the schema, and what was submitted through it.
import type { AnyCall } from '../conversation/messages.js'
import { stringifyJson } from '../json/stringify.js'
import type { JsonObject, Value, ValueObject } from '../json/types.js'
import type { Checked } from '../schema/issue.js'
import { issueText } from '../schema/issue.js'
import { makeTool } from '../tools/definition.js'
import type { AnyTool } from '../tools/tool.js'
import type { Assignment } from './options.js'

export interface Submission {
  readonly tool: AnyTool
  /** The value that was submitted and fits, once there is one. */
  readonly accepted: { readonly value: unknown; readonly text: string } | undefined
  /** What was submitted and did not fit, in order. */
  readonly refused: readonly { readonly reason: string; readonly text: string }[]
  /** Whether a submission was cut off by the end of the answer. */
  readonly isCut: boolean
  /** Takes note of the submissions of one turn that never reached the tool, because their text is no arguments. */
  note(calls: readonly AnyCall[]): void
}

/** A key that holds a value which is no object, because arguments always are one. */
const valueKey = 'value'

export function createSubmission({ schema, check, name, tools, options }: Assignment): Submission {
  const isObject = schema.type === 'object'
  const refused: { readonly reason: string; readonly text: string }[] = []
  let accepted: Submission['accepted']
  let isCut = false
  const settle = (checked: Checked<unknown>, text: string): Checked<unknown> => {
    if (checked.ok) accepted ??= { value: checked.value, text }
    else refused.push({ reason: issueText(checked.issues), text })
    return checked
  }
  const checkSubmitted = (args: unknown): Checked<unknown> | Promise<Checked<unknown>> => {
    const value: Value | undefined = isObject ? (args as ValueObject) : (args as ValueObject)[valueKey]
    const text = stringifyJson(value ?? null)
    const checked = check(value)
    return checked instanceof Promise ? checked.then((late) => settle(late, text)) : settle(checked, text)
  }
  const inputSchema: JsonObject = isObject
    ? schema
    : {
        type: 'object',
        properties: { [valueKey]: withoutDefinitions(schema) },
        required: [valueKey],
        ...definitions(schema),
      }
  const tool = makeTool<unknown, string>({
    name: freeName(`submit_${name}`, tools),
    description: options.description ?? 'Takes your final answer. Call it once, when the answer is complete.',
    taken: { schema: inputSchema, check: checkSubmitted },
    source: 'generate',
    options: { strict: true },
    execute: () => 'The answer was received.',
  })
  return {
    tool,
    get accepted() {
      return accepted
    },
    refused,
    get isCut() {
      return isCut
    },
    note(calls) {
      for (const call of calls) {
        if (call.type !== 'broken_call' || call.name !== tool.name) continue
        if (call.reason === 'truncated') isCut = true
        const words = call.reason === 'not_an_object' ? 'are JSON but no object' : 'are not valid JSON'
        refused.push({ reason: `the arguments of "${tool.name}" ${words}`, text: call.arguments })
      }
    },
  }
}

function withoutDefinitions({ $defs: _, definitions: __, ...rest }: JsonObject): JsonObject {
  return rest
}

function definitions({ $defs, definitions: older }: JsonObject): JsonObject {
  return { ...($defs === undefined ? {} : { $defs }), ...(older === undefined ? {} : { definitions: older }) }
}

function freeName(wanted: string, tools: readonly AnyTool[]): string {
  let name = wanted
  while (tools.some((tool) => tool.name === name)) name += '_'
  return name
}
