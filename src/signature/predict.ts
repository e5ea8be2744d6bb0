// `predict` and `chainOfThought`: a signature as a function.
import { ToolwireError } from '../errors/error.js'
import { type Awaitable, awaitable, drained, type Source } from '../model/awaitable.js'
import type { Flat } from '../schema/infer.js'
import type { Demo } from './adapter.js'
import type { SignatureData } from './field.js'
import { type CallOptions, callEvents, type ModuleOptions, type Setup, setupOf } from './module-call.js'
import type { FieldEvent, Prediction } from './prediction.js'
import {
  type AnyFields,
  type CallsField,
  makeSignature,
  signature as read,
  type Signature,
  type SignatureOf,
} from './signature.js'

/** A signature with everything it needs to be called. Nothing is kept between calls. */
export interface Program<Inputs = AnyFields, Outputs = AnyFields, Calls extends CallsField = CallsField> {
  /** Rejects with a coded error when the model fails, or when no answer could be used. */
  (inputs: Inputs, options?: CallOptions): Promise<Prediction<Outputs, Calls>>
  /** The same call as events. Nothing happens before it is iterated or awaited. */
  stream(
    inputs: Inputs,
    options?: CallOptions,
  ): Awaitable<FieldEvent<Prediction<Outputs, Calls>>, Prediction<Outputs, Calls>>
  readonly module: string
  readonly signature: SignatureData
  readonly demos: readonly Demo[]
  /** The same program with other options. */
  with(options: ModuleOptions): Program<Inputs, Outputs, Calls>
  /** The same program with another instruction. */
  instruct(instruction: string): Program<Inputs, Outputs, Calls>
}

/** Asks for the outputs of the signature. */
export function predict<const Text extends string>(
  signature: Text,
  options?: ModuleOptions,
): ProgramOf<SignatureOf<Text>>
export function predict<Inputs, Outputs, Calls extends CallsField>(
  signature: Signature<Inputs, Outputs, Calls>,
  options?: ModuleOptions,
): Program<Inputs, Outputs, Calls>
export function predict(signature: string | Signature, options: ModuleOptions = {}): Program {
  return programOf('predict', signatureOf(signature), options)
}

type ProgramOf<S> =
  S extends Signature<infer Inputs, infer Outputs, infer Calls> ? Program<Inputs, Outputs, Calls> : never
type Reasoned<S> =
  S extends Signature<infer Inputs, infer Outputs, infer Calls>
    ? Program<Inputs, Flat<{ reasoning: string } & Outputs>, Calls>
    : never

/** Asks for `reasoning` before the outputs. */
export function chainOfThought<const Text extends string>(
  signature: Text,
  options?: ModuleOptions,
): Reasoned<SignatureOf<Text>>
export function chainOfThought<Inputs, Outputs, Calls extends CallsField>(
  signature: Signature<Inputs, Outputs, Calls>,
  options?: ModuleOptions,
): Program<Inputs, Flat<{ reasoning: string } & Outputs>, Calls>
export function chainOfThought(signature: string | Signature, options: ModuleOptions = {}): Program {
  const { instruction, inputs, outputs } = signatureOf(signature)
  if ([...inputs, ...outputs].some(({ name }) => name === 'reasoning')) {
    throw new ToolwireError(
      'misuse',
      'chainOfThought adds an output "reasoning", which the signature has already; use predict',
    )
  }
  const description = 'Think step by step towards the other outputs'
  const reasoning = {
    name: 'reasoning',
    type: { kind: 'string' },
    optional: false,
    internal: false,
    description,
  } as const
  return programOf(
    'chain_of_thought',
    makeSignature({ instruction, inputs, outputs: [reasoning, ...outputs] }),
    options,
  )
}

/** A signature, or the text of one. */
export function signatureOf(signature: string | Signature): Signature {
  if (typeof signature === 'string') return read(signature as string)
  if (Array.isArray(signature?.inputs) && Array.isArray(signature.outputs)) return signature
  throw new ToolwireError('misuse', 'a module needs a signature: its text, or what signature() gave')
}

function programOf(module: string, signature: Signature, options: ModuleOptions): Program {
  const setup = (inputs: object, call: CallOptions): Setup => setupOf(module, signature, inputs, options, call)
  const call = async (inputs: AnyFields, own: CallOptions = {}): Promise<Prediction> =>
    drained(callEvents(setup(inputs, own), false))
  return Object.assign(call, {
    stream: (inputs: AnyFields, own: CallOptions = {}) => {
      const ready = setup(inputs, own)
      return awaitable(() => sourceOf(ready))
    },
    module,
    signature,
    demos: options.demos ?? [],
    with: (more: ModuleOptions) => programOf(module, signature, { ...options, ...more }),
    instruct: (instruction: string) => programOf(module, makeSignature({ ...signature, instruction }), options),
  })
}

function sourceOf(setup: Setup): Source<FieldEvent<Prediction>, Prediction> {
  const leaving = new AbortController()
  const signal = setup.signal === undefined ? leaving.signal : AbortSignal.any([setup.signal, leaving.signal])
  const left = new ToolwireError('aborted', 'the reader of the events left')
  return {
    events: callEvents({ ...setup, signal }, true),
    leave: () => leaving.abort(left),
    left: () => {
      throw left
    },
  }
}
