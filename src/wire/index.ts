// All wires by name. The wire is always named by the caller; nothing here guesses.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { anthropicCodec } from './anthropic/index.js'
import type { Codec, Profile } from './codec.js'
import { geminiCodec } from './gemini/index.js'
import { ollamaCodec } from './ollama/index.js'
import { openaiChatCodec } from './openai-chat/index.js'
import { openaiResponsesCodec } from './openai-responses/index.js'

/** The codec of each wire. Each is reached when it is asked for: Node loads no wire that a program does not use. */
export const codecs: Readonly<Record<Wire, Codec>> = {
  get 'openai-chat'() {
    return openaiChatCodec
  },
  get 'openai-responses'() {
    return openaiResponsesCodec
  },
  get anthropic() {
    return anthropicCodec
  },
  get ollama() {
    return ollamaCodec
  },
  get gemini() {
    return geminiCodec
  },
}

/** A vendor's record by name; the wire's own when no name is given. */
export function profileOf(codec: Pick<Codec, 'wire' | 'profiles'>, name?: string): Profile {
  const wanted = name ?? firstName(codec.profiles)
  const profile = Object.hasOwn(codec.profiles, wanted) ? codec.profiles[wanted] : undefined
  if (profile !== undefined) return profile
  const names = Object.keys(codec.profiles)
  throw new ToolwireError('misuse', `there is no profile "${wanted}" on ${codec.wire}; known are ${names.join(', ')}`)
}

function firstName(profiles: Codec['profiles']): string {
  for (const name in profiles) return name
  return ''
}
