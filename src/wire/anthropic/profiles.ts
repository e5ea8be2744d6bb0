// Vendors on the Messages wire, as records of flags. Anthropic itself has two: the current version and the one before it.
import type { FilePart, ImagePart } from '../../conversation/messages.js'
import type { SealRules } from '../../conversation/seal-rules.js'
import type { Profile } from '../codec.js'
import { refusedTool } from '../schemas.js'
import { carriesFile, carriesImage } from './media.js'
import { toolDialects, wire } from './types.js'

/** How a vendor's Messages differ from Anthropic's own. */
export interface AnthropicProfile extends Profile {
  /** The `anthropic-version` header. Default: 2026-10-21. */
  readonly version?: '2026-10-21' | '2023-06-01'
  /** Whether `temperature`, `top_p` and `top_k` may be sent; the current version refuses them. Default: no. */
  readonly sampling?: boolean
  /** `max_tokens` of a request that says none, since the wire demands one. Default: 8192. */
  readonly defaultMaxTokens?: number
  /** Models that refuse to be forced to a tool (`any`, `tool`). Default: none. */
  readonly unforcedModels?: RegExp
  /** Models that refuse a budget for thinking and find their own (`adaptive`). Default: none. */
  readonly adaptiveModels?: RegExp
  /** Models that refuse to be told not to think: they always do, or never. Default: none. */
  readonly fixedThinking?: RegExp
  /** Whether thinking without a signature is taken back, as compatible servers do. Default: no. */
  readonly unsignedThinking?: boolean
  /** Whether system text may stand behind a user turn; older models refuse it. Default: yes. */
  readonly midSystem?: boolean
}

const models = {
  unforcedModels: /claude-fable-5-[12]/,
  fixedThinking: /claude-fable-5-[12]/,
  adaptiveModels: /claude-(?:[a-z]+-)?(?:4-[7-9]|[5-9])/,
}

const anthropic: AnthropicProfile = {
  name: 'anthropic',
  wire,
  baseUrl: 'https://api.anthropic.com',
  keyVariable: 'ANTHROPIC_API_KEY',
  auth: 'bearer',
  version: '2026-10-21',
  ...models,
}

const anthropic2023: AnthropicProfile = {
  name: 'anthropic-2023',
  wire,
  baseUrl: 'https://api.anthropic.com',
  keyVariable: 'ANTHROPIC_API_KEY',
  auth: 'x-api-key',
  version: '2023-06-01',
  sampling: true,
  ...models,
}

export const profiles: Readonly<Record<string, AnthropicProfile>> = { anthropic, 'anthropic-2023': anthropic2023 }

/** What this wire demands of a history. */
export function sealRules(profile: AnthropicProfile, model: string): SealRules {
  return {
    wire,
    provider: profile.name,
    model,
    leadingSystem: 'merge',
    // A model that can't be forced to a tool can still be told to call none.
    choices: profile.unforcedModels?.test(model) ? 'words' : 'named',
    toolsForCalls: 'required',
    midSystem: profile.midSystem === false ? 'as_user' : 'after_user',
    refusedText: 'blank',
    emptyMessages: 'drop',
    assistantOrder: 'free',
    userOrder: 'free',
    joinText: [],
    assistantRuns: 'keep',
    reasoning: profile.unsignedThinking === true ? 'own' : 'signed',
    signedParts: ['reasoning'],
    replayNeeds: ['signature'],
    uniqueIds: 'conversation',
    firstTurn: 'user',
    carries,
    failedResults: 'text',
    refusedTool: (tool) => refusedTool(tool, toolDialects),
  }
}

/** A failed result takes text only: its images and files follow in a user turn. */
function carries(part: ImagePart | FilePart, place: 'user' | 'result' | 'error_result'): boolean {
  if (place === 'error_result') return false
  return part.type === 'image' ? carriesImage(part) : carriesFile(part)
}
