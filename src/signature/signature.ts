// `signature`: from a text, or step by step. Either way the same plain data, with a text that reads back to it.
import type { StandardTypedV1 } from '@standard-schema/spec'
import { ToolwireError } from '../errors/error.js'
import type { Value } from '../json/types.js'
import type { AnySchema, Flat, FromSchema } from '../schema/infer.js'
import { takeSchema } from '../schema/intake.js'
import { type Field, type FieldType, keepIntake, type SignatureData } from './field.js'
import type { CallsOf, Entry, InputsOf, OutputsOf, ReadSignature, ReadType } from './infer.js'
import { checkFields, nameProblem, parseFieldType, parseSignature } from './parse.js'
import { printSignature } from './print.js'
import { fieldTypeOf } from './schema-field.js'

/** The `tool_calls` field of a signature, for its types. */
export type CallsField = { name: string; optional: boolean } | undefined
/** Inputs and outputs of unknown names, as a text that is no literal gives. */
export type AnyFields = { readonly [name: string]: unknown }

/**
 * What goes in and what comes out. Plain data; `toString` gives a text that `signature` reads back to the same. The types of
 * inputs, outputs and calls are carried in `types`, which no value has.
 */
export interface Signature<Inputs = AnyFields, Outputs = AnyFields, Calls extends CallsField = CallsField>
  extends SignatureData {
  readonly types?: { readonly inputs: Inputs; readonly outputs: Outputs; readonly calls: Calls }
  toString(): string
}

/** The signature that a literal text stands for. */
export type SignatureOf<Text extends string> =
  ReadSignature<Text> extends [infer Inputs extends Entry[], infer Outputs extends Entry[]]
    ? Signature<InputsOf<Inputs>, OutputsOf<Outputs>, CallsOf<Outputs>>
    : Signature

export interface FieldOptions {
  readonly description?: string | undefined
  readonly optional?: boolean | undefined
}
export interface OutputOptions extends FieldOptions {
  /** Asked of the model and checked, but not part of the result. */
  readonly internal?: boolean | undefined
}

type TypeOf<Type, Side extends 'input' | 'output'> = Type extends string
  ? ReadType<Type>
  : Type extends StandardTypedV1
    ? Side extends 'input'
      ? StandardTypedV1.InferInput<Type>
      : StandardTypedV1.InferOutput<Type>
    : unknown extends FromSchema<Type>
      ? Value
      : FromSchema<Type>
type With<Fields, Name extends string, Type, Options> = Flat<
  Fields &
    (Options extends { readonly optional: true } ? { [Key in Name]?: Type | undefined } : { [Key in Name]: Type })
>
type CallsWith<Calls extends CallsField, Name extends string, Type, Options> = Type extends 'tool_calls'
  ? { name: Name; optional: Options extends { readonly optional: true } ? true : false }
  : Calls

/** A signature step by step; every step gives a new builder. */
export interface SignatureBuilder<Inputs, Outputs, Calls extends CallsField> {
  instruction(text: string): SignatureBuilder<Inputs, Outputs, Calls>
  /** A type is written as in a signature's text, or is a schema: a Standard Schema, `params`, or a JSON Schema. */
  input<
    const Name extends string,
    const Type extends string | AnySchema = 'string',
    const Options extends FieldOptions = FieldOptions,
  >(
    name: Name,
    type?: Type,
    options?: Options,
  ): SignatureBuilder<With<Inputs, Name, TypeOf<Type, 'input'>, Options>, Outputs, Calls>
  output<
    const Name extends string,
    const Type extends string | AnySchema = 'string',
    const Options extends OutputOptions = OutputOptions,
  >(
    name: Name,
    type?: Type,
    options?: Options,
  ): SignatureBuilder<
    Inputs,
    Options extends { readonly internal: true } ? Outputs : With<Outputs, Name, TypeOf<Type, 'output'>, Options>,
    CallsWith<Calls, Name, Type, Options>
  >
  /** Ends the building: checks the whole. */
  done(): Signature<Inputs, Outputs, Calls>
}

type Nothing = Record<never, never>

export interface SignatureFunction {
  /** Reads a signature. `instruction` may stand in the text instead, in double quotes before the inputs. */
  <const Text extends string>(text: Text, instruction?: string): SignatureOf<Text>
  build(instruction?: string): SignatureBuilder<Nothing, Nothing, undefined>
}

/** Reads a signature from its text, or builds one with `signature.build()`. The types of inputs and outputs follow from it. */
export const signature: SignatureFunction = Object.assign(
  <const Text extends string>(text: Text, instruction?: string): SignatureOf<Text> => {
    if (typeof text !== 'string')
      throw new ToolwireError('misuse', 'a signature is written as a text; or use signature.build()')
    const read = parseSignature(text)
    if (instruction === undefined) return makeSignature(read) as SignatureOf<Text>
    if (read.instruction !== '') {
      throw new ToolwireError(
        'misuse',
        'the signature has an instruction in its text and a second one; keep one of them',
      )
    }
    return makeSignature({ ...read, instruction }) as SignatureOf<Text>
  },
  { build: (instruction = '') => builder<Nothing, Nothing, undefined>({ instruction, inputs: [], outputs: [] }) },
)

/** The data with its `toString`, which is out of sight so that signatures compare as data. */
export function makeSignature<Inputs, Outputs, Calls extends CallsField>(
  data: SignatureData,
): Signature<Inputs, Outputs, Calls> {
  const { instruction, inputs, outputs } = data
  const made = { instruction, inputs, outputs }
  return Object.defineProperty(made, 'toString', { value: () => printSignature(made) })
}

function builder<Inputs, Outputs, Calls extends CallsField>(
  data: SignatureData,
): SignatureBuilder<Inputs, Outputs, Calls> {
  const input = (name: string, type: string | AnySchema = 'string', options: OutputOptions = {}): unknown =>
    builder({ ...data, inputs: [...data.inputs, makeField(name, type, options)] })
  const output = (name: string, type: string | AnySchema = 'string', options: OutputOptions = {}): unknown =>
    builder({ ...data, outputs: [...data.outputs, makeField(name, type, options)] })
  return {
    instruction: (text) => builder({ ...data, instruction: text }),
    // The signatures carry the types from step to step; at run time there is only the data.
    input: input as SignatureBuilder<Inputs, Outputs, Calls>['input'],
    output: output as SignatureBuilder<Inputs, Outputs, Calls>['output'],
    done: () => makeSignature(checked(data)),
  }
}

function checked(data: SignatureData): SignatureData {
  const { inputs, outputs } = data
  const refuse = (_index: number, problem: string, suggestion?: string): never => {
    throw new ToolwireError(
      'misuse',
      `the signature cannot be built: ${problem}${suggestion === undefined ? '' : `; ${suggestion}`}`,
    )
  }
  if (inputs.length === 0) refuse(0, 'there is no input field', 'add one with input()')
  if (outputs.length === 0) refuse(0, 'there is no output field', 'add one with output()')
  checkFields(inputs, outputs, refuse)
  return data
}

function makeField(name: string, type: string | AnySchema, options: OutputOptions): Field {
  const problem = nameProblem(String(name))
  if (problem !== undefined) throw new ToolwireError('misuse', `the signature cannot be built: ${problem}`)
  const { optional = false, internal = false, description = '' } = options
  const rest = { optional, internal, ...(description === '' ? {} : { description }) }
  if (typeof type === 'string') return { name, type: parseFieldType(type), ...rest }
  // On both sides somebody writes what the schema takes in: a program, or a model.
  const taken = takeSchema(type, 'input')
  if (!taken.ok) {
    throw new ToolwireError(
      'misuse',
      `the schema of the field ${JSON.stringify(name)} cannot be used: ${taken.problem.message}`,
    )
  }
  const fieldType: FieldType = fieldTypeOf(taken.schema)
  return keepIntake({ name, type: fieldType, ...rest }, taken)
}
