// Tokens of a call whose provider did not count them: the client left before the usage came, or the server never reports it. Without
// an estimate such calls would be free of the key's limit.
import type { CompletionEvent } from '../conversation/events.js'
import { inputTokens } from '../conversation/usage.js'
import type { ErrorCode } from '../errors/error.js'
import type { Progress } from './call.js'

const charactersPerToken = 4
/** What a picture or a file is taken for, however long its base64 is. */
const tokensPerMedia = 1_000
/** Text has a space, a quote or a bracket sooner. */
const leastBase64 = 2_000

/** Tokens of a request by the length of its body; encoded media counts as a fixed amount. */
export function estimateInput(body: string): number {
  let characters = body.length
  let media = 0
  let runStart = 0
  for (let index = 0; index <= body.length; index += 1) {
    if (index < body.length && isBase64(body.charCodeAt(index))) continue
    if (index - runStart >= leastBase64) {
      characters -= index - runStart
      media += 1
    }
    runStart = index + 1
  }
  return Math.ceil(characters / charactersPerToken) + media * tokensPerMedia
}

/** Letters, digits and `+/-_=`. */
function isBase64(code: number): boolean {
  if (code >= 97) return code <= 122
  if (code >= 65) return code <= 90 || code === 95
  return (code >= 47 && code <= 57) || code === 43 || code === 45 || code === 61
}

/** Failures after which the provider has worked, and will be paid. */
const paidFailures: ReadonlySet<string> = new Set<ErrorCode>(['aborted', 'timeout', 'truncated', 'malformed_response'])

/** What a call used as far as that can be told; undefined where the provider reported all of it, or did not work. */
export function estimateTokens({
  usage,
  inputEstimate,
  outputCharacters,
  error,
  finishReason,
}: Progress): number | undefined {
  if (inputEstimate === undefined || (finishReason !== undefined && usage !== undefined)) return undefined
  if (error !== undefined && outputCharacters === 0 && !paidFailures.has(error)) return undefined
  const { output = 0, reasoning = 0 } = usage ?? {}
  const input = (usage === undefined ? undefined : inputTokens(usage)) ?? inputEstimate
  return input + Math.max(output + reasoning, Math.ceil(outputCharacters / charactersPerToken))
}

/** Characters of an answer that an event brings. A call whose fragments came before counts once more: an estimate may be too high. */
export function charactersIn(event: CompletionEvent): number {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return event.text.length
    case 'tool_call':
    case 'broken_call':
      return event.call.name.length + event.call.arguments.length
    default:
      return 0
  }
}
