// SHA-256 on Node: its own, which is faster and part of the runtime.
import { hash } from 'node:crypto'

/** SHA-256 of the text as UTF-8. */
export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}
