// The arguments of a call. The text is the value of record; what is parsed from it is kept beside the call, never in it.
import type { AnyCall, ToolCall } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, isList, parseJson } from '../json/parse.js'
import { passedLimit, type TextLimits } from '../json/scan.js'
import type { Value, ValueObject } from '../json/types.js'
import type { AnySchema, Infer } from '../schema/infer.js'
import { takeSchema } from '../schema/intake.js'
import { issueText } from '../schema/issue.js'
import { specError } from './spec-rules.js'

/** How much a model may send as the arguments of one call. */
export interface ArgumentLimits {
  /** Characters of the text; 2,000,000. */
  readonly characters?: number | undefined
  /** JSON values in the text, containers and members; 8,000. */
  readonly values?: number | undefined
  /** Members of one object; 5,000. */
  readonly keys?: number | undefined
  /** Steps of checking them against a JSON Schema; 50,000, some 5 ms. A zod, valibot or arktype schema is not metered. */
  readonly work?: number | undefined
}

const defaultLimits: TextLimits = { characters: 2_000_000, values: 8_000, keys: 5_000 }
/** Values in arguments that are parsed and not checked, which costs a fraction. */
const parsedValues = 50_000

/** The limit that the text of a call passes, and what to say about it; undefined when it may be parsed. */
export function sizeProblem(
  call: AnyCall,
  limits: ArgumentLimits = {},
): { readonly limit: string; readonly message: string } | undefined {
  const { characters, values, keys } = defaultLimits
  const asked: TextLimits = {
    characters: limits.characters ?? characters,
    values: limits.values ?? values,
    keys: limits.keys ?? keys,
  }
  const limit = passedLimit(call.arguments, asked)
  if (limit === undefined) return undefined
  return { limit, message: `its arguments have more than ${asked[limit]} ${limitWords[limit]}` }
}

const limitWords = { characters: 'characters', values: 'values', keys: 'members in one object' } as const

const parsed = new WeakMap<ToolCall, { readonly text: string; readonly value: ValueObject }>()

/**
 * The parsed arguments of a call, frozen, parsed once. An integer beyond ±(2^53−1) is a bigint.
 * Throws `malformed_arguments` when the text is not one complete JSON object, and, before parsing it, when it passes a default limit; it
 * may have 50,000 values, since nothing is checked here. `decodeArguments` takes limits of one's own.
 */
export function argsOf(call: ToolCall): ValueObject {
  const known = parsed.get(call)
  if (known !== undefined && known.text === call.arguments) return known.value
  const value = frozen(freshArguments(call, { values: parsedValues }))
  parsed.set(call, { text: call.arguments, value })
  return value
}

/**
 * The parsed arguments as a value of the caller's own, parsed each time: it goes to a handler, which may change it. Throws as `argsOf`,
 * by limits of one's own.
 */
export function freshArguments(call: ToolCall, limits: ArgumentLimits): ValueObject {
  const problem = sizeProblem(call, limits)
  if (problem !== undefined) {
    throw malformed(call, `${problem.message}; send less at once, or raise the limit`, undefined, problem.limit)
  }
  let value: Value
  try {
    value = parseJson(call.arguments)
  } catch (cause) {
    throw malformed(call, cause instanceof Error ? cause.message : 'the text is not JSON', cause)
  }
  if (!isValueObject(value)) throw malformed(call, 'the text is JSON but not an object')
  return value
}

function isValueObject(value: Value): value is ValueObject {
  return isJsonObject(value)
}

function frozen<T extends Value>(value: T): T {
  if (typeof value === 'object' && value !== null) freezeMembers(value)
  return value
}

/** Walks members by index and by key: listing the values of each object would take five times as long. */
function freezeMembers(value: readonly Value[] | ValueObject): void {
  if (isList(value)) {
    for (let index = 0; index < value.length; index++) frozen(value[index] ?? null)
  } else {
    for (const key in value) frozen(value[key] ?? null)
  }
  Object.freeze(value)
}

/**
 * The arguments of a call as the schema types them. Throws `malformed_arguments` naming the tool, the call, every failing path and
 * the raw text; throws `misuse` for a schema that can only be checked asynchronously (the executor awaits those).
 */
export function decodeArguments<const Schema extends AnySchema>(
  call: ToolCall,
  schema: Schema,
  limits: ArgumentLimits = {},
): Infer<Schema> {
  const taken = takeSchema(schema, 'input')
  if (!taken.ok) throw specError(call.name, taken.problem.rule, taken.problem.message, taken.problem.path)
  const checked = taken.check(freshArguments(call, limits), { work: limits.work, fresh: true })
  if (checked instanceof Promise) {
    checked.catch(() => undefined)
    throw new ToolwireError(
      'misuse',
      `the schema for tool '${call.name}' is checked asynchronously, which decodeArguments cannot await; run the call through executeToolCalls`,
    )
  }
  if (!checked.ok) throw malformed(call, issueText(checked.issues), undefined, checked.limit)
  // The check proved the value to be what the schema describes.
  return checked.value as Infer<Schema>
}

function malformed(call: ToolCall, why: string, cause?: unknown, limit?: string): ToolwireError {
  return new ToolwireError(
    'malformed_arguments',
    `Failed to decode arguments for tool '${call.name}' (id: ${call.id}): ${why}\nRaw JSON: ${call.arguments}`,
    {
      detail: {
        tool: call.name,
        id: call.id,
        reason: why,
        arguments: call.arguments,
        ...(limit === undefined ? {} : { limit }),
      },
      cause,
    },
  )
}
