// What a generation is asked for, checked before anything starts.
import { freeze } from '../conversation/freeze.js'
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import type { RunOptions } from '../loop/options.js'
import type { AnySchema } from '../schema/infer.js'
import { type Intake, intakeProblem, takeSchema } from '../schema/intake.js'
import { type SchemaProblem, schemaRules } from '../schema/rules.js'
import { ToolExecutor } from '../tools/execute.js'
import { ToolRegistry } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { planOf, type Rung, rungs } from './plan.js'

/** Settings of a run that make no sense here: the answer is the schema's, and nothing is resumed. */
type Unused = 'output' | 'executor' | 'resume' | 'approvals' | 'journal' | 'forceEveryTurn'

/** Those of a run, with the schema and how hard to try. */
export interface GenerateOptions<Schema extends AnySchema> extends Omit<RunOptions, Unused> {
  /** What the value must be: a Standard Schema (zod, valibot, arktype, `params`) or a JSON Schema. */
  readonly schema: Schema
  /** What the value is called towards the model; `response`. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** How often the model may try again after an answer that does not fit; 2. */
  readonly maxOutputRetries?: number | undefined
  /** Answers asked of the model in all, those between tool calls included; 20. */
  readonly maxCalls?: number | undefined
  /** Takes this way instead of the best one the model is known to have. */
  readonly rung?: Rung | undefined
  /** In a stream: events with the value as it grows. Not checked, and the same object each time. Default: no. */
  readonly partials?: boolean | undefined
}

/** Options that were checked, with defaults filled in. */
export interface Assignment {
  readonly options: GenerateOptions<AnySchema>
  readonly schema: JsonObject
  readonly check: Intake['check']
  readonly name: string
  readonly plan: readonly [Rung, ...Rung[]]
  readonly tools: readonly AnyTool[]
  readonly retries: number
  readonly maxCalls: number
}

export function checkGenerate(options: GenerateOptions<AnySchema>): Assignment {
  const { model, name = 'response', rung, maxOutputRetries = 2, maxCalls = options?.maxTurns ?? 20 } = options ?? {}
  if (typeof model?.complete !== 'function' || typeof model.stream !== 'function') {
    throw misuse('generate needs a model; make one with openai(), anthropic() or another model factory')
  }
  if (typeof name !== 'string' || name === '')
    throw misuse('name is not a word; call the value something, or leave it out')
  if (!(Number.isInteger(maxOutputRetries) && maxOutputRetries >= 0)) {
    throw misuse(`maxOutputRetries is ${String(maxOutputRetries)}; give a whole number from 0 on, or leave it out`)
  }
  if (!(typeof maxCalls === 'number' && maxCalls >= 1)) {
    throw misuse(`maxCalls is ${String(maxCalls)}; give a number from 1 on, or leave it out`)
  }
  if (rung !== undefined && !rungs.includes(rung)) {
    throw misuse(`there is no rung "${String(rung)}"; known are ${rungs.join(', ')}`)
  }
  const taken = takenSchema(options.schema, name)
  const tools = toolsOf(options)
  return {
    options,
    schema: freeze(taken.schema),
    check: taken.check,
    name,
    plan: rung === undefined ? planOf(model.capabilities ?? {}, tools.length > 0) : [rung],
    tools,
    retries: maxOutputRetries,
    maxCalls,
  }
}

function takenSchema(schema: unknown, name: string): Intake {
  const taken = takeSchema(schema, 'input')
  if (!taken.ok) throw refused(name, taken.problem)
  const problem = intakeProblem(taken, { root: 'any', level: 'lenient', validated: 'open' })
  if (problem !== undefined) throw refused(name, problem)
  return taken
}

function refused(name: string, { rule, path, message }: SchemaProblem): ToolwireError {
  return new ToolwireError('misuse', `the schema of "${name}" cannot be used: ${message}; ${schemaRules[rule]}`, {
    detail: { rule, path },
  })
}

function toolsOf({ tools }: GenerateOptions<AnySchema>): readonly AnyTool[] {
  const source = new ToolExecutor(tools instanceof ToolRegistry ? tools.snapshot() : (tools ?? [])).tools
  return source.list()
}

function misuse(message: string): ToolwireError {
  return new ToolwireError('misuse', message)
}
