// What is known of LangChain's own chat models, as data: whose continuations they hold, and what their messages can carry.
// A chat model is looked up by the type it declares itself (`_llmType`), its answers by their `model_provider`.
import type { Origin, Wire } from '../conversation/messages.js'

export interface Dialect {
  /** The wire it speaks. Its rules of history are kept, and continuations of that wire are understood. */
  readonly wire: Wire
  readonly provider: string
  /** Thinking it takes back: in `blocks` of its own with their signatures, as one `item` of a turn, or not at all. */
  readonly thinking: 'blocks' | 'item' | 'none'
  /** What results may hold besides text. */
  readonly resultImages: boolean
  /** Files as standard blocks, as LangChain's older data blocks, or not at all: no form is understood by all. */
  readonly files: 'standard' | 'data' | 'none'
  /** Images by address; others go inline only. */
  readonly imageUrls: boolean
  /** Whether it knows `tool_choice`. */
  readonly choice: boolean
  /** Whether it takes stop sequences with a call. */
  readonly stop: boolean
  /** Whether it tells the provider which call a result answers. */
  readonly namesResults: boolean
  /** Whether every whole answer says why it ended: one that does not was cut. */
  readonly saysFinish: boolean
}

/** A chat model nobody described: text, images and calls in their plain form. */
const plain: Dialect = {
  wire: 'openai-chat',
  provider: 'langchain',
  thinking: 'none',
  resultImages: false,
  files: 'none',
  imageUrls: true,
  choice: true,
  stop: true,
  namesResults: true,
  saysFinish: false,
}

const dialects: ReadonlyMap<unknown, Dialect> = new Map([
  ['openai', { ...plain, provider: 'openai', files: 'data', saysFinish: true }],
  [
    'openai-responses',
    { ...plain, wire: 'openai-responses', provider: 'openai', thinking: 'item', files: 'data', saysFinish: true },
  ],
  [
    'anthropic',
    {
      ...plain,
      wire: 'anthropic',
      provider: 'anthropic',
      thinking: 'blocks',
      resultImages: true,
      files: 'standard',
      saysFinish: true,
    },
  ],
  [
    'ollama',
    {
      ...plain,
      wire: 'ollama',
      provider: 'ollama',
      imageUrls: false,
      choice: false,
      namesResults: false,
      saysFinish: true,
    },
  ],
  [
    'googlegenerativeai',
    {
      ...plain,
      wire: 'gemini',
      provider: 'gemini',
      thinking: 'blocks',
      files: 'standard',
      stop: false,
      saysFinish: true,
    },
  ],
])

export function dialectOf(type: unknown): Dialect {
  return dialects.get(type) ?? plain
}

const providers: ReadonlyMap<unknown, Origin> = new Map<unknown, Origin>([
  ['anthropic', { wire: 'anthropic', provider: 'anthropic' }],
  ['google-genai', { wire: 'gemini', provider: 'gemini' }],
  ['openai', { wire: 'openai-chat', provider: 'openai' }],
  ['ollama', { wire: 'ollama', provider: 'ollama' }],
])

/** Where an answer came from, by what its package wrote on it. */
export function providerOrigin(provider: unknown, model: string | undefined): Origin | undefined {
  const origin = providers.get(provider)
  return origin === undefined || model === undefined ? origin : { ...origin, model }
}
