// The blocks of a request body in the order a model reads them: what prompt caches compare.
import type { Wire } from '../../src/conversation/messages.js'

type Members = { readonly [key: string]: unknown }

/** One text per block, tools and settings left out. */
export function blocksOf(wire: Wire, body: unknown): readonly string[] {
  const request = body as Members
  switch (wire) {
    case 'openai-chat':
    case 'ollama':
      return list(request.messages).map((message) => JSON.stringify(message))
    case 'openai-responses':
      return [JSON.stringify(request.instructions ?? null), ...list(request.input).map((item) => JSON.stringify(item))]
    case 'anthropic':
      return [
        ...list(request.system).map((block) => JSON.stringify(['system', block])),
        ...list(request.messages).flatMap((message) => inner('role', 'content', message)),
      ]
    case 'gemini':
      return [
        ...list((request.systemInstruction as Members | undefined)?.parts).map((part) =>
          JSON.stringify(['system', part]),
        ),
        ...list(request.contents).flatMap((content) => inner('role', 'parts', content)),
      ]
  }
}

/** The blocks of one message, each with the role it is said in. */
function inner(role: string, key: string, message: unknown): readonly string[] {
  const { [role]: who, [key]: content, ...rest } = message as Members
  return list(content).map((block) => JSON.stringify([who, rest, block]))
}

/** A list as it is; a string as the one block that it stands for. */
function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return value as readonly unknown[]
}
