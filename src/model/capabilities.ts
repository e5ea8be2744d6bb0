// What a model can do, as far as it is known. Asking for what is known to be missing fails before the network; unknown is tried.
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { ToolwireError } from '../errors/error.js'
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
export const wireCapabilities: Readonly<Record<Wire, Capabilities>> = {
  'openai-chat': all,
  'openai-responses': all,
  anthropic: all,
  ollama: {
    ...all,
    tools: 'unknown',
    parallelToolCalls: 'unknown',
    // The wire has no field for a choice: it is sent as it is and reported as a loss, never refused.
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

/** Refuses, by name, what the model is known not to be able to do. */
export function checkCapabilities(request: CompletionRequest, capabilities: Capabilities, name: string): void {
  const hasTools = (request.tools?.length ?? 0) > 0
  const choice = request.toolChoice
  const needs: readonly (readonly [keyof Capabilities, boolean, string])[] = [
    ['tools', hasTools, 'call tools; leave out tools, or use another model'],
    ['toolChoiceRequired', hasTools && choice === 'required', 'be made to call a tool; use toolChoice "auto"'],
    [
      'toolChoiceNamed',
      hasTools && typeof choice === 'object' && 'tool' in choice,
      'be made to call one tool; use toolChoice "auto"',
    ],
    ['structuredOutput', request.output !== undefined, 'answer in a schema; leave out output'],
    [
      'structuredOutputWithTools',
      hasTools && request.output !== undefined,
      'answer in a schema while it has tools; drop one of them',
    ],
    ['images', hasImages(request), 'read images; leave them out'],
  ]
  const missing = needs.find(([capability, needed]) => needed && capabilities[capability] === 'no')
  if (missing === undefined) return
  throw new ToolwireError('unsupported_feature', `${name} cannot ${missing[2]}`, { detail: { capability: missing[0] } })
}

function hasImages(request: CompletionRequest): boolean {
  return request.messages.some((message) => {
    if (message.role === 'user') return message.content.some((part) => part.type === 'image')
    return (
      message.role === 'tool' && message.results.some((result) => result.content.some((part) => part.type === 'image'))
    )
  })
}
