// SHA-256 where there is nothing but the language: the one of the web is asynchronous.
import { sha256 as hash } from '@noble/hashes/sha2.js'

/** SHA-256 of the text as UTF-8. */
export function sha256(text: string): Uint8Array {
  return hash(new TextEncoder().encode(text))
}
