// Requests that ask for nothing but what every wire with such settings says in numbers: most of them.
import type { CompletionRequest } from '../conversation/request.js'

/** Whether all that is set besides model, messages and tools are numbers that are read back as they were written. */
export function hasPlainSettings(request: CompletionRequest): boolean {
  for (const key of Object.keys(request) as (keyof CompletionRequest)[]) {
    switch (key) {
      case 'model':
      case 'messages':
      case 'tools':
        break
      case 'maxTokens':
      case 'temperature':
      case 'topP':
        if (request[key] !== undefined && !Number.isFinite(request[key])) return false
        break
      default:
        if (request[key] !== undefined) return false
    }
  }
  return true
}
