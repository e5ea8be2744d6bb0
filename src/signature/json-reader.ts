// The text members of a JSON object, while it is still on its way. Only the first object in the text is read.
import type { FieldDelta, FieldReader } from './adapter.js'
import type { Field } from './field.js'
import { isText } from './values.js'

/** Where the reader stands in the outermost object. */
type Place = 'outside' | 'key' | 'value'

/** Deltas for the text fields among the given ones. */
export function jsonReader(fields: readonly Field[]): FieldReader {
  const names = new Set(fields.filter(({ type }) => isText(type)).map(({ name }) => name))
  let place: Place = 'outside'
  let depth = 0
  let key = ''
  let isOpen = false
  let isEscaping = false
  /** Raw text of the open string that was not decoded yet; of keys and text fields only. */
  let raw = ''

  /** One character of a string; gives what can be decoded by now. */
  const inString = (character: string): string => {
    const closes = character === '"' && !isEscaping
    isEscaping = character === '\\' && !isEscaping
    const isKept = depth === 1 && (place === 'key' || names.has(key))
    if (!closes && isKept) raw += character
    if (closes) isOpen = false
    if (!isKept || (!closes && (place === 'key' || isEscaping || isPartial(raw)))) return ''
    const text = decoded(raw)
    raw = ''
    if (place === 'value') return text
    key = text
    return ''
  }

  const outsideString = (character: string): void => {
    if (character === '"' && depth > 0) isOpen = true
    else if (character === '{') {
      depth += 1
      if (depth === 1) place = 'key'
    } else if (character === '[' && depth > 0) depth += 1
    else if ((character === '}' || character === ']') && depth > 0) depth -= 1
    else if (depth === 1 && character === ':') place = 'value'
    else if (depth === 1 && character === ',') place = 'key'
  }

  return {
    push(text) {
      const found = new Map<string, string>()
      for (const character of text) {
        if (!isOpen) {
          outsideString(character)
          continue
        }
        const part = inString(character)
        if (part !== '') found.set(key, (found.get(key) ?? '') + part)
      }
      return [...found].map(([field, part]): FieldDelta => ({ field, text: part }))
    },
    end: () => [],
  }
}

/** Whether raw text ends within an escape by number, or with the first half of a pair. */
function isPartial(raw: string): boolean {
  return /\\u[0-9a-fA-F]{0,3}$|(?:\\u[dD][89abAB][0-9a-fA-F]{2}|[\ud800-\udbff])$/.test(raw)
}

function decoded(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return ''
  }
}
