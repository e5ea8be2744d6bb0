// The vendors on this wire, as flat records. Add a vendor by adding a record; nothing branches on its name.
import type { SealRules } from '../../conversation/seal-rules.js'
import type { JsonObject } from '../../json/types.js'
import type { Profile } from '../codec.js'
import { withoutNone } from '../models.js'
import { refusedTool } from '../schemas.js'
import { isCarried } from './content.js'
import { toolDialects, wire } from './types.js'

/** How a vendor's Responses differ from OpenAI's own. */
export interface ResponsesProfile extends Profile {
  /** Path of the endpoint. Default: /v1/responses. */
  readonly path?: string
  /** The longest tool name. Default: 64. */
  readonly toolNameLength?: number
  /** Whether the role `developer` is known. Default: yes. */
  readonly developerRole?: boolean
  /** Models that refuse to be told not to think: they always do, or never. Default: none. */
  readonly fixedThinking?: RegExp
  /** The smallest output limit that is accepted. Default: any. */
  readonly minOutputTokens?: number
  /** Whether one tool can be forced by name, and a choice limited to some. Default: yes. */
  readonly namedChoice?: boolean
}

const openai: ResponsesProfile = {
  name: 'openai',
  wire,
  baseUrl: 'https://api.openai.com',
  keyVariable: 'OPENAI_API_KEY',
  auth: 'bearer',
  toolNameLength: 128,
  fixedThinking: withoutNone,
  minOutputTokens: 16,
}

/** The host holds the resource's name, so there is no base URL. */
const azure: ResponsesProfile = {
  name: 'azure',
  wire,
  keyVariable: 'AZURE_OPENAI_API_KEY',
  auth: 'api-key',
  path: '/openai/v1/responses',
  fixedThinking: withoutNone,
  minOutputTokens: 16,
}

const xai: ResponsesProfile = {
  name: 'xai',
  wire,
  baseUrl: 'https://api.x.ai',
  keyVariable: 'XAI_API_KEY',
  auth: 'bearer',
  developerRole: false,
  fixedThinking: /grok/,
}

const lmStudio: ResponsesProfile = {
  name: 'lm-studio',
  wire,
  baseUrl: 'http://localhost:1234',
  keyVariable: 'LM_API_TOKEN',
  auth: 'bearer',
  namedChoice: false,
}

export const profiles: Readonly<Record<string, ResponsesProfile>> = { openai, azure, xai, 'lm-studio': lmStudio }

/** What this wire demands of a history. `own` is what the request carries for it. */
export function sealRules(
  profile: ResponsesProfile,
  model: string,
  own: JsonObject | undefined,
  remembers: boolean,
): SealRules {
  return {
    wire,
    provider: profile.name,
    model,
    leadingSystem: 'keep',
    midSystem: 'keep',
    choices: profile.namedChoice === false ? 'words' : 'allowed',
    refusedText: 'none',
    emptyMessages: 'drop',
    assistantOrder: 'free',
    userOrder: 'free',
    joinText: [],
    assistantRuns: 'merge',
    reasoning: 'signed',
    uniqueIds: 'conversation',
    firstTurn: 'any',
    carries: isCarried,
    orphanResults: remembers ? 'keep' : 'as_user',
    continuations: 'together',
    refusedTool: (tool) => refusedTool(tool, toolDialects),
    // A server that stores nothing cannot look a reasoning up: it needs its encrypted form, or its text.
    ...(own?.store === false ? { replayNeeds: ['encrypted_content', 'content'] } : {}),
  }
}
