// The vendors on this wire: flat records of what each deviates in. A flag that is not set has the default of its line.
import type { Profile } from '../codec.js'
import { withoutNone } from '../models.js'

export type MaxTokensName = 'max_tokens' | 'max_completion_tokens'
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'thinking'

/** How a vendor's Chat Completions differ from OpenAI's own. */
export interface ChatProfile extends Profile {
  readonly wire: 'openai-chat'
  /** Default: `/v1/chat/completions`. */
  readonly path?: string
  /** Whether the model may stand in the path, as `/openai/deployments/{model}/…`, for clients that send it so. Default: no. */
  readonly modelInPath?: boolean
  /** Names of the output limit; the first is written unless a client used another one of them. Default: `max_completion_tokens`, `max_tokens`. */
  readonly maxTokens?: readonly MaxTokensName[]
  /** Whether the role `developer` is known. Default: yes. */
  readonly developerRole?: boolean
  /** Call ids: `any`, `openai` (40 characters of `[a-zA-Z0-9_-]`), or `nine` letters and digits. Default: `any`. */
  readonly callIds?: 'any' | 'openai' | 'nine'
  /** Tool choices that are obeyed: `allowed` (all of them), `named` (no allowed_tools), `words` only, or `none`. Default: `named`. */
  readonly choices?: 'allowed' | 'named' | 'words' | 'none'
  /** The word for "call some tool". Default: `required`. */
  readonly requiredWord?: 'required' | 'any'
  /** Whether a result names its tool. Default: no. */
  readonly resultName?: boolean
  /** Whether reasoning of earlier turns is sent back. Default: yes. */
  readonly reasoningEcho?: boolean
  /** Where reasoning stands when nothing says otherwise; `thinking` is a block of the content. Default: `reasoning_content`. */
  readonly reasoningField?: ReasoningField
  /** Whether a turn with calls must have `reasoning_content`, if only an empty one. Default: no. */
  readonly reasoningRequired?: boolean
  /** How effort is asked for: `reasoning_effort`, or an object `reasoning` with `effort` and `max_tokens`. Default: `reasoning_effort`. */
  readonly effort?: 'reasoning_effort' | 'reasoning'
  /** Models that refuse to be told not to think: they always do, or never. Default: none. */
  readonly fixedThinking?: RegExp
  /** Whether `stream_options` is known. Default: yes. */
  readonly streamOptions?: boolean
  /** How many stop sequences are accepted. Default: any number. */
  readonly maxStops?: number
  /** Whether `response_format` takes a schema; else only `json_object` is sent. Default: yes. */
  readonly jsonSchema?: boolean
  /** Whether `response_format` takes `json_object`; else the schema of any object is sent. Default: yes. */
  readonly jsonObject?: boolean
}

const wire = 'openai-chat'
const onlyMaxTokens: readonly MaxTokensName[] = ['max_tokens']
const maxTokensFirst: readonly MaxTokensName[] = ['max_tokens', 'max_completion_tokens']

const openai: ChatProfile = {
  name: 'openai',
  wire,
  baseUrl: 'https://api.openai.com',
  keyVariable: 'OPENAI_API_KEY',
  auth: 'bearer',
  callIds: 'openai',
  choices: 'allowed',
  reasoningEcho: false,
  fixedThinking: withoutNone,
  maxStops: 4,
}

/** The vendors by name. `compatible` is for servers nobody described: what a client said is kept, the rest is cautious. */
export const profiles: Readonly<Record<string, ChatProfile>> = {
  openai,
  azure: {
    name: 'azure',
    wire,
    keyVariable: 'AZURE_OPENAI_API_KEY',
    auth: 'api-key',
    path: '/openai/v1/chat/completions',
    modelInPath: true,
    callIds: 'openai',
    choices: 'allowed',
    reasoningEcho: false,
    fixedThinking: withoutNone,
    maxStops: 4,
  },
  xai: {
    name: 'xai',
    wire,
    baseUrl: 'https://api.x.ai',
    keyVariable: 'XAI_API_KEY',
    auth: 'bearer',
    developerRole: false,
    fixedThinking: /grok/,
  },
  groq: {
    name: 'groq',
    wire,
    baseUrl: 'https://api.groq.com/openai',
    keyVariable: 'GROQ_API_KEY',
    auth: 'bearer',
    fixedThinking: /^(?!.*qwen)/,
    maxStops: 4,
    reasoningField: 'reasoning',
  },
  deepseek: {
    name: 'deepseek',
    wire,
    baseUrl: 'https://api.deepseek.com',
    keyVariable: 'DEEPSEEK_API_KEY',
    auth: 'bearer',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    reasoningRequired: true,
    maxStops: 16,
    jsonSchema: false,
  },
  mistral: {
    name: 'mistral',
    wire,
    baseUrl: 'https://api.mistral.ai',
    keyVariable: 'MISTRAL_API_KEY',
    auth: 'bearer',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    callIds: 'nine',
    requiredWord: 'any',
    resultName: true,
    reasoningField: 'thinking',
    streamOptions: false,
  },
  openrouter: {
    name: 'openrouter',
    wire,
    baseUrl: 'https://openrouter.ai/api',
    keyVariable: 'OPENROUTER_API_KEY',
    auth: 'bearer',
    maxTokens: maxTokensFirst,
    reasoningField: 'reasoning',
    effort: 'reasoning',
  },
  'lm-studio': {
    name: 'lm-studio',
    wire,
    baseUrl: 'http://localhost:1234',
    auth: 'none',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    choices: 'words',
    jsonObject: false,
  },
  vllm: {
    name: 'vllm',
    wire,
    baseUrl: 'http://localhost:8000',
    keyVariable: 'VLLM_API_KEY',
    auth: 'bearer',
    maxTokens: maxTokensFirst,
    developerRole: false,
    reasoningField: 'reasoning',
  },
  'llama-cpp': {
    name: 'llama-cpp',
    wire,
    baseUrl: 'http://localhost:8080',
    auth: 'none',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    choices: 'words',
  },
  together: {
    name: 'together',
    wire,
    baseUrl: 'https://api.together.xyz',
    keyVariable: 'TOGETHER_API_KEY',
    auth: 'bearer',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    reasoningField: 'reasoning',
  },
  'ollama-v1': {
    name: 'ollama-v1',
    wire,
    baseUrl: 'http://localhost:11434',
    auth: 'none',
    maxTokens: onlyMaxTokens,
    developerRole: false,
    choices: 'none',
    reasoningField: 'reasoning',
  },
  compatible: {
    name: 'compatible',
    wire,
    auth: 'bearer',
    described: false,
    maxTokens: maxTokensFirst,
  },
}

/** A profile with every default filled in. */
export type Flags = Required<Omit<ChatProfile, keyof Profile>> & Profile

const defaults: Omit<Flags, keyof Profile> = {
  path: '/v1/chat/completions',
  modelInPath: false,
  maxTokens: ['max_completion_tokens', 'max_tokens'],
  developerRole: true,
  callIds: 'any',
  choices: 'named',
  requiredWord: 'required',
  resultName: false,
  reasoningEcho: true,
  reasoningField: 'reasoning_content',
  reasoningRequired: false,
  effort: 'reasoning_effort',
  fixedThinking: /$^/,
  streamOptions: true,
  maxStops: Number.MAX_SAFE_INTEGER,
  jsonSchema: true,
  jsonObject: true,
}

const described: ReadonlyMap<Profile, Flags> = new Map(
  Object.values(profiles).map((profile) => [profile, { ...defaults, ...profile }]),
)

/** The flags of a profile of this wire; a bare `Profile` has the defaults. */
export function flagsOf(profile: Profile): Flags {
  return described.get(profile) ?? { ...defaults, ...(profile as ChatProfile) }
}
