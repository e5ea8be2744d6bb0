// The vendors of this wire, as flat records, and what the wire demands of a history.
import type { FilePart, ImagePart } from '../../conversation/messages.js'
import type { SealRules } from '../../conversation/seal-rules.js'
import type { Profile } from '../codec.js'
import { refusedTool } from '../schemas.js'
import { toolDialects, wire } from './types.js'

/** The wire has one vendor, and it has no flags of its own. */
export type OllamaProfile = Profile

const ollama: OllamaProfile = {
  name: 'ollama',
  wire,
  baseUrl: 'http://127.0.0.1:11434',
  keyVariable: 'OLLAMA_API_KEY',
  auth: 'none',
}

export const profiles: Readonly<Record<string, OllamaProfile>> = { ollama }

/** Every message has one string of text, so parts are put in its order and joined; nothing else is refused. */
export function sealRules(profile: OllamaProfile, model: string): SealRules {
  return {
    wire,
    provider: profile.name,
    model,
    leadingSystem: 'keep',
    midSystem: 'keep',
    choices: 'none',
    refusedText: 'empty',
    emptyMessages: 'keep',
    assistantOrder: 'slots',
    userOrder: 'text_first',
    joinText: ['system', 'user', 'assistant', 'reasoning', 'result'],
    assistantRuns: 'keep',
    reasoning: 'own',
    opaque: 'none',
    uniqueIds: 'turn',
    firstTurn: 'any',
    carries,
    refusedTool: (tool) => refusedTool(tool, toolDialects),
  }
}

/** Images travel as bare base64 beside the text of a user; what a tool returned follows in a user turn. */
function carries(part: ImagePart | FilePart, place: 'user' | 'result' | 'error_result'): boolean {
  return place === 'user' && part.type === 'image' && part.data !== undefined
}
