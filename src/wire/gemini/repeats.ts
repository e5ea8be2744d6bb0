// Chunks that say again what came before. Some proxies send the last chunk twice, or end a stream with the complete text.
// Pitfall: a model may also say something twice, so only what can't be told from a copy is left out.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { listOf } from './types.js'

export interface RepeatFinder {
  /** Whether this chunk is a copy of the final chunk before it. */
  isCopy(chunk: JsonObject, text: string): boolean
  /** Notes text that was read from a chunk. */
  addText(text: string): void
  /** Whether the parts of a final chunk are the text of the whole answer once more. */
  repeatsText(candidate: JsonObject, parts: readonly Json[]): boolean
}

/** A shorter text may well be said twice. */
const minRepeated = 16

export function createRepeatFinder(): RepeatFinder {
  let last: string | undefined
  /** Whether already the first chunk had a finish reason. Such servers put one on every chunk, so it marks no end. */
  let finishesAlways: boolean | undefined
  let text = ''
  let pieces = 0
  return {
    isCopy(chunk, json) {
      const isFinal = listOf(chunk.candidates).some((candidate) => isJsonObject(candidate) && finishes(candidate))
      const counts = isJsonObject(chunk.usageMetadata) || isJsonObject(chunk.usage_metadata)
      const copies = isFinal && json === last && (counts || finishesAlways === false)
      finishesAlways ??= isFinal
      last = isFinal ? json : undefined
      return copies
    },
    addText(more) {
      text += more
      pieces += 1
    },
    repeatsText(candidate, parts) {
      if (pieces < 2 || text.length < minRepeated || !finishes(candidate)) return false
      let whole = ''
      for (const part of parts) {
        if (!isJsonObject(part) || typeof part.text !== 'string' || Object.keys(part).length > 1) return false
        whole += part.text
      }
      return whole === text
    },
  }
}

function finishes(candidate: JsonObject): boolean {
  const reason = candidate.finishReason ?? candidate.finish_reason
  return reason !== undefined && reason !== null
}
