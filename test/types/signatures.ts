// What a signature's literal text says about its TypeScript types. `tsc -p tsconfig.test.json` is the test; nothing here runs.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import type { Value, ValueObject } from '../../src/json/types.js'
import type { CallValue, HistoryValue, ToolsValue, ToolValue } from '../../src/signature/infer.js'
import { chainOfThought, predict } from '../../src/signature/predict.js'
import type { Prediction } from '../../src/signature/prediction.js'
import { react } from '../../src/signature/react.js'
import { type AnyFields, type Signature, signature } from '../../src/signature/signature.js'
import { params } from '../../src/tools/params.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

type Types<S> = S extends Signature<infer I, infer O, infer C> ? { i: I; o: O; c: C } : never
type In<S> = Types<S>['i']
type Out<S> = Types<S>['o']
type Calls<S> = Types<S>['c']

// Every kind of field.
const kinds = signature(`
  "Reads \\"everything\\", -> and all: of it."
  a, b: string(min 1, max 10, pattern "^[a-z(]+\\"?$", format email) "why, -> \\" not", c: number(min 0), d: integer,
  e: boolean, f: date, g: datetime, h: json, i: class "red, dark green", j: class "x|y", k: class("a, b", "c")[],
  l: object, m: object{ n: string, o?: integer[], p: object{ q: boolean } "inner" }[](min 1), r: string[][],
  s?: number, t: schema "{\\"type\\":\\"string\\"}", u: tool, v?: tools, w: history
  -> x`)
type Kinds = {
  a: string
  b: string
  c: number
  d: number
  e: boolean
  f: string
  g: string
  h: Value
  i: 'red' | 'dark green'
  j: 'x' | 'y'
  k: readonly ('a, b' | 'c')[]
  l: ValueObject
  m: readonly { n: string; o?: readonly number[] | undefined; p: { q: boolean } }[]
  r: readonly (readonly string[])[]
  s?: number | undefined
  t: Value
  u: ToolValue
  v?: ToolsValue | undefined
  w: HistoryValue
}
assertType<Equal<In<typeof kinds>, Kinds>>()
assertType<Equal<Out<typeof kinds>, { x: string }>>()
assertType<Equal<Calls<typeof kinds>, undefined>>()

// Long signatures are followed to their end.
const many = signature(
  'a1, a2: number "A long description of the field, with commas, colons: and arrows -> and \\"quotes\\".", a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30 -> b1, b2, b3, b4, b5, b6, b7, b8, b9, b10: class "x, y"',
)
assertType<Equal<In<typeof many>['a30'], string>>()
assertType<Equal<Out<typeof many>['b10'], 'x' | 'y'>>()

// Optional, internal and calls.
const marked = signature('question, tools: tools -> plan!, doubt?!: number, answer?: string, calls?: tool_calls')
assertType<Equal<Out<typeof marked>, { answer?: string | undefined; calls?: readonly CallValue[] | undefined }>>()
assertType<Equal<Calls<typeof marked>, { name: 'calls'; optional: true }>>()
const required = signature('question, tools: tools -> answer, calls: tool_calls "what to do"')
assertType<Equal<Calls<typeof required>, { name: 'calls'; optional: false }>>()
assertType<Equal<Out<typeof required>, { answer: string; calls: readonly CallValue[] }>>()

// A class with an escape in it is a string to the compiler; a text that is no literal is open.
const escaped = signature('a -> b: class "x, \\u00e9"')
assertType<Equal<Out<typeof escaped>, { b: string }>>()
declare const wide: string
const open = signature(wide)
assertType<Equal<In<typeof open>, AnyFields>>()

// The builder, with types as text and as schemas.
const built = signature
  .build('Judge it.')
  .input('review')
  .input('tags', 'string[]', { optional: true })
  .input('since', z.string().transform(Number))
  .output('mood', 'class "good, bad"')
  .output('score', z.number().min(0).max(1))
  .output('size', z.string().transform(Number), { optional: true })
  .output('place', toStandardJsonSchema(v.object({ city: v.string() })))
  .output('unit', type("'c'|'f'"))
  .output('days', params.integer())
  .output('raw', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
  .output('scratch', 'string', { internal: true })
  .output('calls', 'tool_calls', { optional: true })
  .done()
assertType<Equal<In<typeof built>, { review: string; tags?: readonly string[] | undefined; since: string }>>()
assertType<
  Equal<
    Out<typeof built>,
    {
      mood: 'good' | 'bad'
      score: number
      size?: number | undefined
      place: { city: string }
      unit: 'c' | 'f'
      days: number
      raw: { a: string }
      calls?: readonly CallValue[] | undefined
    }
  >
>()
assertType<Equal<Calls<typeof built>, { name: 'calls'; optional: true }>>()

// What a call gives: an answer only, calls only, or either, told apart by `kind`.
const plain = predict('question -> answer, n: integer')
type ResultOf<P> = P extends (...given: never[]) => Promise<infer R> ? R : never
type Plain = ResultOf<typeof plain>
assertType<Equal<Plain['kind'], 'answer'>>()
assertType<Equal<Plain['outputs'], { answer: string; n: number }>>()
const must = predict(required)
type Must = ResultOf<typeof must>
assertType<Equal<Must['kind'], 'calls'>>()
assertType<Equal<Must['outputs'], { calls: readonly CallValue[]; answer?: string | undefined }>>()
const either = chainOfThought('question, tools: tools -> answer, calls?: tool_calls')
type Either = ResultOf<typeof either>
assertType<Equal<Either['kind'], 'answer' | 'calls'>>()
type Answered = Extract<Either, { kind: 'answer' }>['outputs']
assertType<Equal<Answered, { reasoning: string; answer: string; calls?: undefined }>>()
type Called = Extract<Either, { kind: 'calls' }>['outputs']
assertType<
  Equal<Called, { calls: readonly CallValue[]; reasoning?: string | undefined; answer?: string | undefined }>
>()
const anything = predict(wide)
assertType<Equal<ResultOf<typeof anything>, Prediction>>()
declare const unknownOutcome: Prediction
assertType<Equal<(typeof unknownOutcome)['kind'], 'answer' | 'calls'>>()

// Inputs are checked, and outputs are those of the signature.
export async function calls(): Promise<void> {
  await plain({ question: 'Why?' })
  // @ts-expect-error the input is missing
  await plain({})
  // @ts-expect-error the input has another name
  await plain({ questoin: 'Why?' })
  // @ts-expect-error the input is a string
  await plain({ question: 5 })
  const answered = await plain({ question: 'Why?' })
  // @ts-expect-error there is no such output
  answered.outputs.reply
  const called = await must({ question: 'Why?', tools: [] })
  // @ts-expect-error on a turn with calls the answer may be absent
  called.outputs.answer.length
}

// The outcome of react is an answer with the outputs, or a stop.
const agent = react('question -> answer, score: number')
type Reacted = ResultOf<typeof agent>
assertType<Equal<Reacted['kind'], 'answer' | 'stopped'>>()
assertType<Equal<Extract<Reacted, { kind: 'answer' }>['outputs'], { answer: string; score: number }>>()
