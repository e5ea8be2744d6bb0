// Finding one's way in JSON text without parsing it. Every function is linear, stays inside the text and ends on
// garbage too; what it finds is right only for valid JSON.

/** How deep a document may nest, read or written: deeper is an attack or a cycle, never data. */
export const maxDepth = 512

const quote = 34
const backslash = 92
/** Most strings are short, and to look at so many characters costs less than a call of indexOf. */
const shortString = 24

/** The index just past the string that opens at `open`; the end of the text when it never closes. */
export function stringEnd(text: string, open: number): number {
  const close = closingQuote(text, open, text.length)
  return close === -1 ? text.length : close + 1
}

/** The quote that closes the string opened at `open`, or -1 when there is none before `limit`. */
export function closingQuote(text: string, open: number, limit: number): number {
  const near = Math.min(limit, open + shortString)
  let index = open + 1
  for (; index < near; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    if (code === backslash) index += 1
  }
  let close = text.indexOf('"', index)
  while (close !== -1 && close < limit && isEscaped(text, close)) close = text.indexOf('"', close + 1)
  return close < limit ? close : -1
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (index - first) % 2 === 1
}

/** The index of the next character that is not JSON white space. */
export function skipSpace(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break
  }
  return index
}

/** The index just past the value that begins at `from`. */
export function valueEnd(text: string, from: number): number {
  switch (text.charCodeAt(from)) {
    case quote:
      return stringEnd(text, from)
    case 91: // [
    case 123: // {
      return containerEnd(text, from)
    default:
      return scalarEnd(text, from)
  }
}

function containerEnd(text: string, from: number): number {
  let depth = 0
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) index = stringEnd(text, index) - 1
    else if (code >= 91) {
      // [ and {, then ] and }
      if (code === 91 || code === 123) depth += 1
      else if (code === 93 || code === 125) {
        depth -= 1
        if (depth === 0) return index + 1
      }
    }
  }
  return text.length
}

/**
 * The index just past the container around or behind `least` that stands inside of `depth` others, found from the end of the
 * text; nothing when there is none.
 */
export function containerEndFrom(text: string, least: number, depth: number): number | undefined {
  let end: number | undefined
  let open = 0
  for (let index = text.length - 1; index >= least; index -= 1) {
    const code = text.charCodeAt(index)
    if (code === quote) index = openingQuote(text, index, least)
    else if (code === 93 || code === 125) {
      // ] and }
      if (open === depth) end = index + 1
      open += 1
    } else if (code === 91 || code === 123) open -= 1
  }
  return end
}

/** The quote that opens the string closed at `close`, or an index before `least`. */
function openingQuote(text: string, close: number, least: number): number {
  let index = close - 1
  while (index >= least && (text.charCodeAt(index) !== quote || isEscaped(text, index))) index -= 1
  return index
}

function scalarEnd(text: string, from: number): number {
  let index = from
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    // , ] } and white space
    if (code === 44 || code === 93 || code === 125 || code <= 32) break
  }
  return index
}

/** Whether the text nests deeper than the cap. Brackets are followed only where there are enough of them. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * maxDepth || !hasManyBrackets(text)) return false
  let depth = 0
  let index = 0
  while (index < text.length) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = stringEnd(text, index)
        continue
      case 91: // [
      case 123: // {
        depth += 1
        if (depth > maxDepth) return true
        break
      case 93: // ]
      case 125: // }
        depth -= 1
        break
    }
    index += 1
  }
  return false
}

function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      count += 1
      if (count > maxDepth) return true
    }
  }
  return false
}

/** What a text may hold before it is parsed: parsing takes time and memory by the value, and by the key in a wide object. */
export interface TextLimits {
  /** UTF-16 units, as `length` counts them. */
  readonly characters: number
  /** Containers and their members. */
  readonly values: number
  /** Members of one object: wide ones are slow to make and to walk. */
  readonly keys: number
}

/** The first limit the text passes, without parsing it. Texts too short to pass one are not read. */
export function passedLimit(text: string, { characters, values, keys }: TextLimits): keyof TextLimits | undefined {
  if (text.length > characters) return 'characters'
  // A value takes two characters with its comma, a member of an object at least five.
  if (text.length <= 2 * values && text.length <= 5 * keys) return undefined
  const outer: number[] = []
  let members = 0
  let count = 0
  let index = 0
  while (index < text.length) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = stringEnd(text, index)
        continue
      case 91: // [
      case 123: // {
        count += 1
        outer.push(members)
        members = 0
        break
      case 93: // ]
      case 125: // }
        members = outer.pop() ?? 0
        break
      case 44: // ,
        count += 1
        break
      case 58: // :
        members += 1
        if (members > keys) return 'keys'
        break
    }
    if (count > values) return 'values'
    index += 1
  }
  return undefined
}
