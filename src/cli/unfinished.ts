// The text of an answer that Ctrl-C cut off. The loop leaves such an answer out; a person has read it and may refer to it.
// Only text is kept: calls that were on their way never ran, and reasoning without its end is refused by providers.
import { createFolder, type Folder } from '../conversation/fold.js'
import type { RunEvent, RunResult } from '../loop/result.js'

export interface Unfinished {
  push(event: RunEvent): void
  /** What the model said since its turn began, while the turn is not over. */
  text(): string
}

export function createUnfinished(): Unfinished {
  let folder: Folder | undefined
  return {
    push(event) {
      if (event.type === 'turn_start') folder = createFolder()
      else if (event.type === 'turn_end') folder = undefined
      else if (event.type === 'text_delta') folder?.push(event)
    },
    text: () => folder?.done().response.text ?? '',
  }
}

/** The result with the text that was read before the run was aborted, as the last message. */
export function withUnfinished(result: RunResult, unfinished: Unfinished): RunResult {
  const text = unfinished.text()
  if (result.stop.reason !== 'aborted' || text.trim() === '') return result
  return { ...result, text, messages: [...result.messages, { role: 'assistant', content: [{ type: 'text', text }] }] }
}
