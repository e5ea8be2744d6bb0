// Names made from content: the same text gives the same name on every machine.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { ToolwireError } from '../errors/error.js'
import { isList } from './parse.js'
import { maxDepth } from './scan.js'
import type { Json } from './types.js'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** SHA-256 of the text as UTF-8, in hexadecimal. */
export function digest(text: string): string {
  return bytesToHex(hashOf(text))
}

/** The first characters ([a-z2-7], at most 52) of the SHA-256 of the text: five bits each. */
export function shortHash(text: string, length = 12): string {
  let result = ''
  let bits = 0
  let pending = 0
  for (const byte of hashOf(text)) {
    pending = (pending << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) result += alphabet[(pending >> (bits - 5)) & 31]
    pending &= (1 << bits) - 1
    if (result.length >= length) break
  }
  if (bits > 0) result += alphabet[(pending << (5 - bits)) & 31]
  return result.slice(0, length)
}

/** JSON text with the keys of every object sorted: equal values, equal text. Deeper than the cap: limit_exceeded. */
export function canonicalJson(value: Json): string {
  return canonical(value, 0)
}

function canonical(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth >= maxDepth) {
    throw new ToolwireError('limit_exceeded', `the value nests deeper than ${maxDepth} levels; send flatter data`)
  }
  if (isList(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`).join(',')}}`
}

function hashOf(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text))
}
