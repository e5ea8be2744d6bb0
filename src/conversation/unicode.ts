// Plain values whose every text is Unicode. Half of a surrogate pair has no form in UTF-8: sent as it is, a provider may refuse
// the whole body for one.
import { isJsonObject } from '../json/parse.js'
import type { Json } from '../json/types.js'
import { at } from './losses.js'

/** Whether the value is a text without half of a surrogate pair. */
export function isUnicodeText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed()
}

/** Whether no text in the value, keys included, holds half of a surrogate pair. */
export function isUnicode(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) if (!isUnicode(item)) return false
    return true
  }
  for (const key in value) {
    if (!key.isWellFormed() || !isUnicode((value as { readonly [key: string]: unknown })[key])) return false
  }
  return true
}

const halfEscape = /\\u[dD][89a-fA-F]/

/** Whether an escape in JSON text may stand for half of a surrogate pair; one for a whole pair is found, too. */
export function hasHalfEscape(text: string): boolean {
  return text.includes('\\') && halfEscape.test(text)
}

/** The value with U+FFFD for every such half; `report` is told the place of each text or key that was changed. */
export function unicodeOf(value: Json, path: string, report: (path: string) => void): Json {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return value
    report(path)
    return value.toWellFormed()
  }
  if (Array.isArray(value)) return value.map((item: Json, index) => unicodeOf(item, at(path, index), report))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const place = at(path, key)
      if (!key.isWellFormed()) report(place)
      return [key.toWellFormed(), unicodeOf(member, place, report)]
    }),
  )
}
