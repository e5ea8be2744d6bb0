// Waiting that ends at once when the signal says so, and leaves no timer behind.
import { neverAborted } from '../transport/transport.js'

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal !== neverAborted) signal.addEventListener('abort', abort, { once: true })
  })
}
