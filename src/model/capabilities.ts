// What a model can do, as far as it is known. Asking for what is known to be missing fails before the network; unknown is tried.
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { ToolwireError } from '../errors/error.js'
import type { Profile } from '../wire/codec.js'
import type { Capabilities } from './model.js'

const all: Capabilities = {
  tools: 'yes',
  parallelToolCalls: 'yes',
  toolChoiceRequired: 'yes',
  toolChoiceNamed: 'yes',
  toolChoiceNone: 'yes',
  streaming: 'yes',
  structuredOutput: 'yes',
  structuredOutputWithTools: 'yes',
  images: 'unknown',
  reasoning: 'unknown',
}

/** What every server of a wire can or cannot do by the wire itself. */
const wireCapabilities: Readonly<Record<Wire, Capabilities>> = {
  'openai-chat': all,
  'openai-responses': all,
  anthropic: all,
  ollama: {
    ...all,
    tools: 'unknown',
    parallelToolCalls: 'unknown',
    // The wire has no field for a choice: a call is demanded by the form of the answer, which not all models are held to.
    toolChoiceRequired: 'unknown',
    toolChoiceNamed: 'unknown',
    structuredOutputWithTools: 'no',
  },
  gemini: { ...all, structuredOutputWithTools: 'unknown' },
}

/** What is not known of a server nobody described. */
export const unknownCapabilities: Capabilities = {
  tools: 'unknown',
  parallelToolCalls: 'unknown',
  toolChoiceRequired: 'unknown',
  toolChoiceNamed: 'unknown',
  toolChoiceNone: 'unknown',
  streaming: 'unknown',
  structuredOutput: 'unknown',
  structuredOutputWithTools: 'unknown',
  images: 'unknown',
  reasoning: 'unknown',
}

/** Flags of a vendor that say what its servers or models can do. */
interface TellingProfile extends Profile {
  readonly jsonSchema?: boolean
  readonly outputWithTools?: RegExp
  readonly eitherModels?: RegExp
}

/** What is known of a model by its wire and by the record of its vendor. */
export function knownCapabilities(wire: Wire, profile: TellingProfile, model: string): Capabilities {
  const known = profile.described === false ? unknownCapabilities : wireCapabilities[wire]
  const { jsonSchema, outputWithTools, eitherModels } = profile
  const together = outputWithTools?.test(model) ? 'yes' : eitherModels?.test(model) ? 'no' : undefined
  return {
    ...known,
    ...(jsonSchema === undefined ? {} : { outputSchema: jsonSchema ? 'yes' : 'no' }),
    ...(together === undefined ? {} : { structuredOutputWithTools: together }),
  }
}

/** What a request needs, and what to do where it is missing. */
const needs: readonly (readonly [keyof Capabilities, (request: CompletionRequest) => boolean, string])[] = [
  ['tools', hasTools, 'call tools; leave out tools, or use another model'],
  [
    'toolChoiceRequired',
    (request) => hasTools(request) && request.toolChoice === 'required',
    'be made to call a tool; use toolChoice "auto"',
  ],
  [
    'toolChoiceNamed',
    (request) => hasTools(request) && typeof request.toolChoice === 'object' && 'tool' in request.toolChoice,
    'be made to call one tool; use toolChoice "auto"',
  ],
  ['structuredOutput', ({ output }) => output !== undefined, 'answer in JSON; leave out output'],
  [
    'structuredOutputWithTools',
    (request) => hasTools(request) && request.output !== undefined,
    'answer in JSON while it has tools; drop one of them',
  ],
  ['images', hasImages, 'read images; leave them out'],
  ['reasoning', asksForReasoning, 'think before it answers; leave out reasoning'],
]

/** Whether a request needs a capability. Asked for one at a time: looking for images reads the whole history. */
export function isCapabilityNeeded(name: keyof Capabilities, request: CompletionRequest): boolean {
  return needs.some(([capability, isNeeded]) => capability === name && isNeeded(request))
}

/** Refuses, by name, what the model is known not to be able to do. */
export function checkCapabilities(request: CompletionRequest, capabilities: Capabilities, name: string): void {
  const missing = needs.find(([capability, isNeeded]) => capabilities[capability] === 'no' && isNeeded(request))
  if (missing === undefined) return
  throw new ToolwireError('unsupported_feature', `${name} cannot ${missing[2]}`, { detail: { capability: missing[0] } })
}

function hasTools(request: CompletionRequest): boolean {
  return (request.tools?.length ?? 0) > 0
}

/** Asking for none is no need. */
function asksForReasoning({ reasoning }: CompletionRequest): boolean {
  const { effort, budgetTokens } = reasoning ?? {}
  return (effort !== undefined && effort !== 'none') || (budgetTokens ?? 0) > 0
}

function hasImages(request: CompletionRequest): boolean {
  return request.messages.some((message) => {
    if (message.role === 'user') return message.content.some((part) => part.type === 'image')
    return (
      message.role === 'tool' && message.results.some((result) => result.content.some((part) => part.type === 'image'))
    )
  })
}
