// UUIDs, JSON Pointers and regular expressions.

export function isUuid(text: string): boolean {
  return text.length === 36 && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}

export function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text))
}

export function isRelativeJsonPointer(text: string): boolean {
  const start = /^(?:0|[1-9]\d*)(?:[+-](?:0|[1-9]\d*))?/.exec(text)?.[0]
  if (start === undefined) return false
  const rest = text.slice(start.length)
  return rest === '#' || isJsonPointer(rest)
}

/** The runtime makes a table for each Unicode property. */
const propertiesLimit = 20
const longestPattern = 10_000

/** A regular expression of ECMAScript. One that is far too long, or has far too many Unicode properties, is not accepted. */
export function isRegex(text: string): boolean {
  if (text.length > longestPattern || (text.match(/\\p/gi)?.length ?? 0) > propertiesLimit) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
