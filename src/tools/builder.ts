// The fluent way to define a tool: each step gives a new builder that knows one parameter more.
import type { Json } from '../json/types.js'
import type { Flat } from '../schema/infer.js'
import { makeOptional, makeParam, type Param } from '../schema/param.js'
import { defineTool, type ToolOptions } from './definition.js'
import { objectSchema, paramSchemaOf } from './params.js'
import type { Tool, ToolContext } from './tool.js'

interface TypeNames {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
}

/** What a parameter of the builder may say: as in `params`, and whether it may be absent. */
interface BuilderParam<Member, Optional extends boolean> {
  readonly description?: string
  readonly enum?: readonly Member[]
  readonly default?: Member
  readonly optional?: Optional
}

type With<Input, Name extends string, Type, Optional extends boolean> = Flat<
  Input & (Optional extends true ? { [Key in Name]?: Type } : { [Key in Name]: Type })
>

export interface ToolBuilder<Input> {
  describe(description: string): ToolBuilder<Input>
  param<
    const Name extends string,
    Type extends keyof TypeNames,
    const Member extends TypeNames[Type] = TypeNames[Type],
    const Optional extends boolean = false,
  >(name: Name, type: Type, options?: BuilderParam<Member, Optional>): ToolBuilder<With<Input, Name, Member, Optional>>
  /** For arrays and objects: any `params` value, `params.optional` included. */
  param<const Name extends string, T, P extends Param<T>>(
    name: Name,
    param: P & Param<T>,
  ): ToolBuilder<With<Input, Name, T, P extends { readonly optional: true } ? true : false>>
  /** Limits, capabilities and flags, as in `tool({…})`. */
  with(options: ToolOptions): ToolBuilder<Input>
  /** Ends the building: checks the definition and gives the tool. */
  execute<Output>(handler: (input: Input, context: ToolContext) => Output | Promise<Output>): Tool<Input, Output>
}

interface Draft {
  readonly name: string
  readonly description: string
  readonly members: readonly (readonly [string, Param])[]
  readonly options: ToolOptions
}

export function buildTool(name: string): ToolBuilder<Record<never, never>> {
  return builder({ name, description: '', members: [], options: {} })
}

function builder<Input>(draft: Draft): ToolBuilder<Input> {
  const param = (name: string, type: keyof TypeNames | Param, options: Said = {}): unknown =>
    builder({ ...draft, members: [...draft.members, [name, memberOf(type, options)]] })
  return {
    describe: (description) => builder({ ...draft, description }),
    // The signatures carry the types from step to step; at run time there is only the draft.
    param: param as ToolBuilder<Input>['param'],
    with: (options) => builder({ ...draft, options: { ...draft.options, ...options } }),
    execute: (execute) => {
      const { name, description, members, options } = draft
      return defineTool({ ...options, name, description, input: makeParam<Input>(objectSchema(members)), execute })
    },
  }
}

type Said = BuilderParam<Json, boolean>

function memberOf(type: keyof TypeNames | Param, options: Said): Param {
  if (typeof type === 'object') return type
  const { optional, ...said } = options
  const param = makeParam(paramSchemaOf(type, said))
  return optional === true ? makeOptional(param) : param
}
