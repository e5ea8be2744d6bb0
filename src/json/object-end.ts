// Whether a JSON object that arrives in fragments is closed. Each fragment is looked at once, so that asking after every one of them
// costs as much as the text is long.
// Pitfall: a closed object may still be malformed. Who needs a valid one parses it, but only when it is closed.

export interface ObjectEnd {
  push(fragment: string): void
  /** Whether the text is an object whose last brace has come, with nothing but white space behind it. */
  isClosed(): boolean
}

export function createObjectEnd(): ObjectEnd {
  let depth = 0
  let state: 'before' | 'inside' | 'closed' | 'overrun' = 'before'
  let inString = false
  let isEscaped = false

  const readInside = (code: number): void => {
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (code === 92) isEscaped = true
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) depth += 1
    else if (code === 125 || code === 93) {
      depth -= 1
      if (depth === 0) state = 'closed'
    }
  }

  return {
    push(fragment) {
      for (let index = 0; index < fragment.length && state !== 'overrun'; index += 1) {
        const code = fragment.charCodeAt(index)
        if (state === 'inside') readInside(code)
        else if (isSpace(code)) continue
        else if (state === 'before' && code === 123) {
          state = 'inside'
          depth = 1
        } else state = 'overrun'
      }
    },
    isClosed: () => state === 'closed',
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}
