// Opaque values as providers make them. The general arbitraries put any JSON there; what a validator judges must be what a
// decoder gives. Each value is made from the random one it replaces, so no two are alike.
import type {
  AssistantPart,
  Message,
  Opaque,
  OpaquePart,
  Origin,
  ResultPart,
  TextPart,
  UserPart,
  Wire,
} from '../../src/conversation/messages.js'
import type { JsonObject } from '../../src/json/types.js'

/** The provider that each wire's own profile names. */
const providers: Readonly<Record<Wire, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  ollama: 'ollama',
  gemini: 'gemini',
}

export function realisticMessage(message: Message): Message {
  switch (message.role) {
    case 'system':
      return message
    case 'user':
      return { ...message, content: message.content.map((part) => realisticPart(part, 'user')) }
    case 'tool': {
      const results = message.results.map((result) => ({
        ...result,
        content: result.content.map((part) => realisticPart(part, 'result')),
      }))
      return { ...message, results }
    }
    case 'assistant':
      return { ...message, content: message.content.map((part) => realisticPart(part, 'assistant')) }
  }
}

type Place = 'user' | 'assistant' | 'result'

function realisticPart<T extends AssistantPart | UserPart | ResultPart>(part: T, place: Place): T {
  if (part.type === 'opaque') return ownBlock(part, place) as T
  const signed = part as T & { readonly opaque?: Opaque }
  if (signed.opaque === undefined) return part
  const { origin, data } = signed.opaque
  return {
    ...part,
    opaque: { origin: realisticOrigin(origin), data: signature(origin.wire, part.type, tokenOf(data)) },
  }
}

function realisticOrigin(origin: Origin): Origin {
  return origin.provider === 'openai' ? { ...origin, provider: providers[origin.wire] } : origin
}

/** What signs a part of this type on the wire. */
function signature(wire: Wire, type: string, token: string): JsonObject {
  switch (wire) {
    case 'anthropic':
      return { signature: token }
    case 'gemini':
      return { thoughtSignature: token }
    case 'openai-responses':
      return type === 'reasoning'
        ? { id: `rs_${token.slice(0, 20)}`, encrypted_content: token }
        : { id: `x_${token.slice(0, 20)}` }
    case 'openai-chat':
      return type === 'reasoning'
        ? { reasoning_details: [{ type: 'reasoning.encrypted', data: token }] }
        : { google: { thought_signature: token } }
    case 'ollama':
      return { token }
  }
}

/** A block that the wire has in that place and the conversation does not model; text where it has none. */
function ownBlock(part: OpaquePart, place: Place): OpaquePart | TextPart {
  const token = tokenOf(part.data)
  const data = blocks[part.origin.wire](token)[place]
  return data === undefined ? { type: 'text', text: token } : { ...part, origin: realisticOrigin(part.origin), data }
}

const audio = (token: string): JsonObject => ({ type: 'input_audio', input_audio: { data: token, format: 'wav' } })
const blocks: Readonly<Record<Wire, (token: string) => { readonly [P in Place]?: JsonObject }>> = {
  anthropic: (token) => {
    const found = { type: 'search_result', source: token, title: 't', content: [{ type: 'text', text: token }] }
    return { assistant: { type: 'redacted_thinking', data: token }, user: found, result: found }
  },
  gemini: (token) => ({
    assistant: { executableCode: { language: 'PYTHON', code: token } },
    user: { codeExecutionResult: { outcome: 'OUTCOME_OK', output: token } },
  }),
  'openai-responses': (token) => ({
    assistant: { type: 'web_search_call', id: `ws_${token}`, status: 'completed' },
    user: audio(token),
  }),
  'openai-chat': (token) => ({ user: audio(token) }),
  ollama: () => ({}),
}

/** Base64, as signatures are, and never empty. */
export function tokenOf(data: JsonObject): string {
  return Buffer.from(`sig${JSON.stringify(data)}`).toString('base64')
}
