// Names made from content: the same text gives the same name on every machine.
import { sha256 } from '#sha256'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** SHA-256 of the text as UTF-8, in hexadecimal. */
export function digest(text: string): string {
  return Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The first characters ([a-z2-7], at most 52) of the SHA-256 of the text: five bits each. */
export function shortHash(text: string, length = 12): string {
  let result = ''
  let bits = 0
  let pending = 0
  for (const byte of sha256(text)) {
    pending = (pending << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) result += alphabet[(pending >> (bits - 5)) & 31]
    pending &= (1 << bits) - 1
    if (result.length >= length) break
  }
  if (bits > 0) result += alphabet[(pending << (5 - bits)) & 31]
  return result.slice(0, length)
}
