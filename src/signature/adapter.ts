// What an adapter is: it shapes the request of a signature and reads the answer. It never runs a tool and never asks a model.
import type { Message } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { unknownCapabilities } from '../model/capabilities.js'
import type { Capabilities, ModelRequest } from '../model/model.js'
import type { AnyTool } from '../tools/tool.js'
import type { Field, SignatureData } from './field.js'
import type { CallValue } from './infer.js'

/** `auto` means native unless the model is known not to have tools; what is not known is tried. */
export type ToolMode = 'auto' | 'native' | 'prompted'
export const toolModes: readonly ToolMode[] = ['auto', 'native', 'prompted']

/** Values of fields by name, inputs and outputs together. */
export type Demo = { readonly [name: string]: unknown }

/** What an adapter knows of the model and of earlier tries. */
export interface FormatContext {
  readonly capabilities?: Capabilities | undefined
  readonly toolMode?: ToolMode | undefined
  readonly demos?: readonly Demo[] | undefined
  /** Which of the plan's rungs to make the request for; the first. */
  readonly rung?: number | undefined
}

/** How a signature is asked. */
export interface Plan {
  readonly request: ModelRequest & { readonly messages: readonly Message[] }
  /** Whether tools go to the model as such, or as text in the prompt. */
  readonly mode: 'native' | 'prompted'
  /** Fields that are not in the prompt because the request carries them in another place. */
  readonly fieldsRemoved: readonly string[]
  /** The ways to ask, in the order they are tried; each costs a model call. */
  readonly rungs: readonly string[]
  readonly tools: readonly AnyTool[]
}

/** What an answer holds. On a turn with calls the other outputs are those that could be read. */
export type Parsed =
  | { readonly kind: 'answer'; readonly outputs: ReadonlyMap<string, unknown> }
  | { readonly kind: 'calls'; readonly calls: readonly CallValue[]; readonly outputs: ReadonlyMap<string, unknown> }

/** Text that was added to a field. */
export interface FieldDelta {
  readonly field: string
  readonly text: string
}
/** Reads fields out of text as it comes: the deltas of a text field add up to its value. */
export interface FieldReader {
  push(text: string): readonly FieldDelta[]
  end(): readonly FieldDelta[]
}

/** How a signature becomes a request, and an answer its fields. */
export interface Adapter {
  readonly name: string
  /** Throws before anything is sent: `misuse`, `invalid_tool_spec`, `invalid_tool_fields`, `unsupported_feature`. */
  format(signature: SignatureData, inputs: object, context?: FormatContext): Plan
  /** Rejects with `missing_required_output`, `malformed_response` or `malformed_arguments`, each naming its field. */
  parse(signature: SignatureData, response: CompletionResponse, plan?: Pick<Plan, 'mode'>): Promise<Parsed>
  /** For streaming; without it only whole fields are told. */
  readonly readFields?: (fields: readonly Field[]) => FieldReader
}

/** The older pair: instructions for the end of a prompt, and values out of the text of an answer. */
export interface TextAdapter {
  readonly name?: string
  formatInstructions(signature: SignatureData): string
  /** Values by field name. What it throws counts as an answer that cannot be read. */
  parseOutputs(signature: SignatureData, text: string): { readonly [name: string]: unknown }
}

/** The mode of the request. Native on a model that is known to have no tools is refused. */
export function modeOf({ toolMode = 'auto', capabilities = unknownCapabilities }: FormatContext): Plan['mode'] {
  if (toolMode === 'auto') return capabilities.tools === 'no' ? 'prompted' : 'native'
  if (toolMode === 'native' && capabilities.tools === 'no') {
    const message = "the model has no tools of its own and toolMode is 'native'; use 'auto' or 'prompted'"
    throw new ToolwireError('unsupported_feature', message, { detail: { capability: 'tools' } })
  }
  return toolMode
}
