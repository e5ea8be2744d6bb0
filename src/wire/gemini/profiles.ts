// The vendors of this wire, as flat records. The first is the wire's own.
import type { SealRules } from '../../conversation/seal-rules.js'
import type { Profile } from '../codec.js'
import { refusedTool, type ToolDialects } from '../schemas.js'
import { wire } from './types.js'

/** How a vendor's Gemini differs from Google's own. */
export interface GeminiProfile extends Profile {
  readonly wire: 'gemini'
  /** The version in the path. Default: `v1beta`. */
  readonly version?: string
  /** Where models stand below the version. Default: `models`. */
  readonly collection?: string
  /** Models that refuse a turn whose first call has no signature. Default: none. */
  readonly signedModels?: RegExp
  /** Models that take media inside a function response; for others it follows in a user turn. Default: none. */
  readonly resultMediaModels?: RegExp
  /** Models that are told how long to think by a budget of tokens, not by a level. Default: none. */
  readonly budgetModels?: RegExp
  /** Models that refuse to be told not to think: they always do. Default: none. */
  readonly fixedThinking?: RegExp
  /** Models that take functions or an answer in a schema, not both at once. Default: none. */
  readonly eitherModels?: RegExp
  /** Which of its two schema fields the server reads: JSON Schema, or the OpenAPI subset that older ones know. Default: `json_schema`. */
  readonly schemas?: 'json_schema' | 'openapi'
  /** Models that are known to answer in a schema while they have tools. Default: none. */
  readonly outputWithTools?: RegExp
  /** Whether a text without a single character is an error. Default: no. */
  readonly refusesEmptyText?: boolean
  /** Whether media may carry the name of its file. Default: no. */
  readonly displayNames?: boolean
}

const thirdGeneration = /gemini-(?:[3-9]|\d\d)/
const secondGeneration = /gemini-2/

const gemini: GeminiProfile = {
  name: 'gemini',
  wire: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  keyVariable: 'GEMINI_API_KEY',
  auth: 'x-goog-api-key',
  signedModels: thirdGeneration,
  resultMediaModels: thirdGeneration,
  budgetModels: secondGeneration,
  fixedThinking: /gemini-2\.5-pro/,
  eitherModels: /gemini-[12](?!\d)/,
  outputWithTools: thirdGeneration,
}

const vertex: GeminiProfile = {
  ...gemini,
  name: 'vertex',
  baseUrl: 'https://aiplatform.googleapis.com',
  keyVariable: 'GOOGLE_API_KEY',
  version: 'v1beta1',
  collection: 'publishers/google/models',
  displayNames: true,
  refusesEmptyText: true,
}

/** Whether a model is told not to think, by a budget of none. */
export function takesNoBudget({ budgetModels, fixedThinking }: GeminiProfile, model: string): boolean {
  return budgetModels?.test(model) === true && fixedThinking?.test(model) !== true
}

/** The dialects of schemas that a server reads. */
export function schemaDialects({ schemas }: GeminiProfile): ToolDialects {
  return schemas === 'openapi' ? openApi : jsonSchema
}

const openApi: ToolDialects = { plain: 'gemini_openapi' }
const jsonSchema: ToolDialects = { plain: 'gemini_json_schema' }

export const profiles: Readonly<Record<string, GeminiProfile>> = { gemini, vertex }

/** What this wire demands of a history. */
export function sealRules(profile: GeminiProfile, model: string): SealRules {
  const mediaInResults = profile.resultMediaModels?.test(model) === true
  return {
    wire,
    provider: profile.name,
    model,
    leadingSystem: 'merge',
    midSystem: 'as_user',
    refusedText: profile.refusesEmptyText === true ? 'empty' : 'none',
    refusedTextIn: ['system', 'user', 'assistant', 'reasoning'],
    emptyMessages: 'drop',
    assistantOrder: 'free',
    userOrder: 'free',
    resultOrder: 'text_first',
    joinText: ['result'],
    assistantRuns: 'merge',
    reasoning: 'own',
    uniqueIds: 'turn',
    firstTurn: 'user',
    refusedTool: (tool) => refusedTool(tool, schemaDialects(profile)),
    carries: (part, place) =>
      (place === 'user' || mediaInResults) && (part.data !== undefined || part.url !== undefined),
  }
}
