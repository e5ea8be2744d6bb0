// The TypeScript types of a signature, read from its literal text by the same grammar as parse.ts. A text that is not a
// literal, or that this reader cannot follow, gives open records; parse.ts still checks it.
import type { Conversation } from '../conversation/conversation.js'
import type { AssistantMessage, ToolResult } from '../conversation/messages.js'
import type { Value, ValueObject } from '../json/types.js'
import type { Flat } from '../schema/infer.js'
import type { ToolSource } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'

/** A call as the `tool_calls` field holds it. */
export interface CallValue {
  readonly id: string
  readonly name: string
  readonly args: ValueObject
}
/** A tool made with `tool()` or `importTool`, or a plain definition in any dialect that `importTool` reads. */
export type ToolValue = AnyTool | { readonly name: string } | { readonly type: 'function'; readonly function: object }
/** What an input of type `tools` takes. */
export type ToolsValue = readonly ToolValue[] | ToolSource
/** One earlier turn: what went in, what came out, and what the calls in it gave. */
export interface HistoryTurn {
  readonly inputs?: object | undefined
  readonly outputs?: object | undefined
  /** What the model said, as it was. Sent in place of the outputs, so that what a provider signed comes back to it. */
  readonly message?: AssistantMessage | undefined
  readonly results?: readonly ToolResult[] | undefined
}
/** Earlier turns of this signature, or a conversation as it is. */
export type HistoryValue = readonly HistoryTurn[] | Conversation

interface Kinds {
  string: string
  number: number
  integer: number
  boolean: boolean
  date: string
  datetime: string
  json: Value
  object: ValueObject
  schema: Value
  tool: ToolValue
  tools: ToolsValue
  tool_calls: readonly CallValue[]
  history: HistoryValue
}

/** A field as the types know it. */
export interface Entry {
  name: string
  type: unknown
  optional: boolean
  internal: boolean
  calls: boolean
}

/** The input object that the fields ask for. */
export type InputsOf<Fields extends readonly Entry[]> = Flat<Members<Fields[number]>>
/** What a result holds: every output but the internal ones. */
export type OutputsOf<Fields extends readonly Entry[]> = Flat<Members<Exclude<Fields[number], { internal: true }>>>
/** The `tool_calls` field: its name, and whether it may be absent. */
export type CallsOf<Fields extends readonly Entry[]> =
  Extract<Fields[number], { calls: true }> extends infer Found
    ? [Found] extends [never]
      ? undefined
      : Found extends Entry
        ? { name: Found['name']; optional: Found['optional'] }
        : undefined
    : never

type Members<Field extends Entry> = {
  [F in Field as F['optional'] extends true ? never : F['name']]: F['type']
} & { [F in Field as F['optional'] extends true ? F['name'] : never]?: F['type'] | undefined }

/** `[inputs, outputs]` as lists of entries; undefined for what cannot be read. */
export type ReadSignature<Text extends string> = string extends Text
  ? undefined
  : ReadFields<SkipInstruction<Trim<Text>>> extends [infer Inputs extends Entry[], `->${infer Rest}`]
    ? ReadFields<Rest> extends [infer Outputs extends Entry[], '']
      ? [Inputs, Outputs]
      : undefined
    : undefined

/** The TypeScript type that the text of one type stands for. */
export type ReadType<Text extends string> = string extends Text
  ? unknown
  : TypeAt<Text> extends [infer Type, infer Rest extends string]
    ? Trim<Rest> extends ''
      ? Type
      : unknown
    : unknown

type Space = ' ' | '\n' | '\t' | '\r'
type Trim<S extends string> = S extends `${Space}${infer Rest}` ? Trim<Rest> : S

type Lower =
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'
  | 'r'
  | 's'
  | 't'
  | 'u'
  | 'v'
  | 'w'
  | 'x'
  | 'y'
  | 'z'
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type NameCharacter = Lower | Uppercase<Lower> | Digit | '_'
type Word<S extends string, Name extends string = ''> = S extends `${infer First}${infer Rest}`
  ? First extends NameCharacter
    ? Word<Rest, `${Name}${First}`>
    : [Name, S]
  : [Name, S]

/** Whether the text ends inside an escape: with an odd number of backslashes. */
type EndsOpen<S extends string> = S extends `${infer Start}\\\\`
  ? EndsOpen<Start>
  : S extends `${string}\\`
    ? true
    : false
/** `[content, rest]` of a quoted text, from behind its opening quote. */
type Quoted<S extends string, Content extends string = ''> = S extends `${infer Start}"${infer Rest}`
  ? EndsOpen<Start> extends true
    ? Quoted<Rest, `${Content}${Start}"`>
    : [`${Content}${Start}`, Rest]
  : undefined
type SkipInstruction<S extends string> = S extends `"${infer Rest}`
  ? Quoted<Rest> extends [string, infer Behind extends string]
    ? Behind
    : ''
  : S
/** The rest behind the closing parenthesis of constraints. */
type SkipConstraints<S extends string> = S extends `${infer Start})${infer Rest}`
  ? Start extends `${infer Before}"${string}`
    ? S extends `${Before}"${infer Text}`
      ? Quoted<Text> extends [string, infer Behind extends string]
        ? SkipConstraints<Behind>
        : ''
      : ''
    : Rest
  : ''

/** `[type, rest]` of the type that the text begins with. */
type TypeAt<S extends string> =
  Word<Trim<S>> extends [infer Name extends string, infer Rest extends string]
    ? Name extends 'class'
      ? ClassAt<Trim<Rest>>
      : Name extends 'object'
        ? ObjectAt<Trim<Rest>>
        : Name extends 'schema'
          ? Trim<Rest> extends `"${infer Text}`
            ? Quoted<Text> extends [string, infer Behind extends string]
              ? Suffixed<Value, Trim<Behind>>
              : undefined
            : undefined
          : Name extends keyof Kinds
            ? Suffixed<Kinds[Name], Trim<Rest>>
            : undefined
    : undefined
type Suffixed<Type, S extends string> = S extends `(${infer Rest}`
  ? Suffixed<Type, Trim<SkipConstraints<Rest>>>
  : S extends `[]${infer Rest}`
    ? Suffixed<readonly Type[], Trim<Rest>>
    : [Type, S]
type ObjectAt<S extends string> = S extends `{${infer Rest}`
  ? ReadFields<Rest> extends [infer Fields extends Entry[], `}${infer Behind}`]
    ? Suffixed<Flat<Members<Fields[number]>>, Trim<Behind>>
    : undefined
  : Suffixed<ValueObject, S>
type ClassAt<S extends string> = S extends `"${infer Text}`
  ? Quoted<Text> extends [infer Content extends string, infer Rest extends string]
    ? Suffixed<ValuesIn<Content>, Trim<Rest>>
    : undefined
  : S extends `(${infer List}`
    ? ListedValues<Trim<List>>
    : undefined
/** A content with an escape in it is not decoded here. */
type ValuesIn<S extends string> = S extends `${string}\\${string}`
  ? string
  : S extends `${string}|${string}`
    ? Split<S, '|'>
    : Split<S, ','>
type Split<S extends string, Mark extends string> = S extends `${infer First}${Mark}${infer Rest}`
  ? TrimBoth<First> | Split<Rest, Mark>
  : TrimBoth<S>
type TrimBoth<S extends string> = S extends `${infer Start}${Space}` ? TrimBoth<Start> : Trim<S>
type ListedValues<S extends string, Values = never> = S extends `"${infer Text}`
  ? Quoted<Text> extends [infer Content extends string, infer Rest extends string]
    ? ListedValue<Values | (Content extends `${string}\\${string}` ? string : Content), Trim<Rest>>
    : undefined
  : undefined
type ListedValue<Values, S extends string> = S extends `,${infer More}`
  ? ListedValues<Trim<More>, Values>
  : S extends `)${infer Rest}`
    ? Suffixed<Values, Trim<Rest>>
    : undefined

/** `[entries, rest]` of a list of fields; the rest begins with what ended it. */
type ReadFields<S extends string, Found extends Entry[] = []> =
  Word<Trim<S>> extends [infer Name extends string, infer Rest extends string]
    ? Name extends ''
      ? undefined
      : Marked<Rest> extends [
            infer Optional extends boolean,
            infer Internal extends boolean,
            infer Behind extends string,
          ]
        ? TypeBehind<Trim<Behind>> extends [infer Type, infer After extends string, infer Calls extends boolean]
          ? NextField<
              Trim<SkipInstruction<After>>,
              [...Found, { name: Name; type: Type; optional: Optional; internal: Internal; calls: Calls }]
            >
          : undefined
        : undefined
    : undefined
type NextField<S extends string, Found extends Entry[]> = S extends `,${infer More}`
  ? ReadFields<More, Found>
  : [Found, S]
type Marked<S extends string> = S extends `?!${infer Rest}`
  ? [true, true, Rest]
  : S extends `?${infer Rest}`
    ? [true, false, Rest]
    : S extends `!${infer Rest}`
      ? [false, true, Rest]
      : [false, false, S]
type TypeBehind<S extends string> = S extends `:${infer Rest}`
  ? TypeAt<Rest> extends [infer Type, infer Behind extends string]
    ? [Type, Trim<Behind>, Trim<Rest> extends `tool_calls${string}` ? true : false]
    : undefined
  : [string, S, false]
