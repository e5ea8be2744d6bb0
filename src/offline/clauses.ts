// A request cut where one task may end and the next begin. Quotes, brackets and parentheses are never cut.

export interface Part {
  readonly start: number
  readonly end: number
  /** Whether a sentence ended before it; otherwise a comma or an "and" did. */
  readonly hard: boolean
}

const whole = /"[^"]*"|“[^”]*”|`[^`]*`|(?<![\p{L}\p{N}])'[^'\n]{2,}'(?!\p{L})|\[[^\]]*\]|\([^)]*\)/gu
const boundary =
  /(?<hard>(?<=[\p{L}\p{N}\uFFFC)"”]{2}[.?!])\s+(?=[\p{Lu}\p{N}"'“\uFFFC])|\s*[;\n]+\s*|(?<=\?)\s+)|,?\s+(?:and then|and also|then|as well as|and|plus|&)\s+|,\s+(?:(?:and|then|also|plus)\s+)?/giu
const maxParts = 12

export function partsOf(text: string): readonly Part[] {
  // Of the same length, so that places in it are places in the text.
  const masked = text.replace(whole, (match) => '\uFFFC'.repeat(match.length))
  const parts: Part[] = []
  let [start, hard] = [0, true]
  for (const match of masked.matchAll(boundary)) {
    if (parts.length >= maxParts - 1) break
    if (match.index > start) parts.push({ start, end: match.index, hard })
    start = match.index + match[0].length
    hard = match.groups?.hard !== undefined
  }
  if (start < text.length) parts.push({ start, end: text.length, hard })
  return parts
}
