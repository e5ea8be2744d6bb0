// Everything a server answers besides completions: its models, what they can do, its version, counts of tokens.
import type { JsonObject } from '../json/types.js'
import type { Route } from './routes.js'

const released = '2026-01-01T00:00:00Z'
const releasedSeconds = Date.parse(released) / 1000
const everything = ['completion', 'tools', 'thinking', 'vision']
const details = {
  parent_model: '',
  format: 'gguf',
  family: 'scripted',
  families: ['scripted'],
  parameter_size: '0B',
  quantization_level: 'none',
}

/** What a server has to list. */
export interface Listed {
  readonly models: readonly string[]
  /** What each model can do. */
  readonly capabilities?: readonly string[] | undefined
  /** What a count of tokens says. */
  readonly inputTokens: number
}

/** The body of a listing. */
export function listing(
  route: Exclude<Route, { kind: 'completion' | 'unknown' }>,
  { models, capabilities = everything, inputTokens }: Listed,
): JsonObject | string {
  switch (route.kind) {
    case 'alive':
      return 'Ollama is running'
    case 'version':
      return { version: '0.30.0' }
    case 'token_count':
      return route.wire === 'anthropic' ? { input_tokens: inputTokens } : { totalTokens: inputTokens }
    case 'model':
      return {
        details,
        model_info: { 'general.architecture': 'scripted' },
        template: '',
        capabilities: [...capabilities],
      }
    case 'listed_model':
      return route.wire === 'gemini' ? geminiModel(route.model) : modelObject(route.model)
    case 'models':
      if (route.wire === 'ollama') return { models: models.map((name) => tag(name, capabilities)) }
      if (route.wire === 'gemini') return { models: models.map(geminiModel) }
      return modelList(models)
  }
}

/** About four characters a token: the same text gives the same count. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

/** One list that clients of OpenAI and of Anthropic both read. */
function modelList(models: readonly string[]): JsonObject {
  const data = models.map(modelObject)
  return { object: 'list', data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null }
}

function modelObject(id: string): JsonObject {
  return {
    id,
    object: 'model',
    created: releasedSeconds,
    owned_by: 'toolwire',
    type: 'model',
    display_name: id,
    created_at: released,
  }
}

function tag(name: string, capabilities: readonly string[]): JsonObject {
  return { name, model: name, modified_at: released, size: 0, digest: '', details, capabilities: [...capabilities] }
}

function geminiModel(id: string): JsonObject {
  return {
    name: `models/${id}`,
    displayName: id,
    inputTokenLimit: 1_000_000,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}
