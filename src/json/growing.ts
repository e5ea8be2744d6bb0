// A JSON value while its text is still arriving. Each fragment costs what it is long; the value grows in place. For showing only:
// nothing here says that the text was valid, so a final value is never taken from it.
import { maxDepth } from './scan.js'

export interface GrowingValue {
  /** Takes a fragment; false once the text cannot be JSON, and from then on. */
  push(text: string): boolean
  /** What is there so far; the same object each time, which later fragments change. Undefined before anything is. */
  readonly value: unknown
}

type Container = { readonly list: unknown[] } | { readonly object: { [key: string]: unknown }; key: string | undefined }
/** What the next character belongs to. */
type State = 'value' | 'key' | 'colon' | 'after' | 'string' | 'scalar' | 'done' | 'broken'

export function growingValue(): GrowingValue {
  const stack: Container[] = []
  let root: unknown
  let state: State = 'value'
  let token = ''
  let isKey = false
  let escaped: string | undefined

  const put = (value: unknown): void => {
    const top = stack.at(-1)
    if (top === undefined) root = value
    else if ('list' in top) top.list.push(value)
    else if (top.key !== undefined) define(top.object, top.key, value)
  }
  /** The string that grows, shown where it stands. */
  const show = (isNew: boolean): void => {
    const top = stack.at(-1)
    if (top === undefined) root = token
    else if ('list' in top) top.list[isNew ? top.list.length : top.list.length - 1] = token
    else if (top.key !== undefined) define(top.object, top.key, token)
  }
  const settled = (): State => (stack.length === 0 ? 'done' : 'after')
  const open = (container: Container, value: unknown): State => {
    if (stack.length >= maxDepth) return 'broken'
    put(value)
    stack.push(container)
    return 'list' in container ? 'value' : 'key'
  }
  const close = (isList: boolean): State => {
    const top = stack.pop()
    return top !== undefined && 'list' in top === isList ? settled() : 'broken'
  }
  const start = (character: string): State => {
    switch (character) {
      case '{': {
        const object: { [key: string]: unknown } = {}
        return open({ object, key: undefined }, object)
      }
      case '[': {
        const list: unknown[] = []
        return open({ list }, list)
      }
      case ']':
        return close(true)
      case '"':
        token = ''
        isKey = false
        show(true)
        return 'string'
      default:
        token = character
        return /[-0-9tfn]/.test(character) ? 'scalar' : 'broken'
    }
  }
  const endScalar = (): State => {
    try {
      put(JSON.parse(token))
      return settled()
    } catch {
      return 'broken'
    }
  }
  const inString = (character: string): State => {
    if (escaped !== undefined) {
      escaped += character
      const isWhole = escaped[1] === 'u' ? escaped.length === 6 : escaped.length === 2
      if (!isWhole) return 'string'
      const read = unescaped(escaped)
      escaped = undefined
      if (read === undefined) return 'broken'
      token += read
      return 'string'
    }
    if (character === '\\') escaped = character
    else if (character !== '"') token += character
    else if (!isKey) {
      show(false)
      return settled()
    } else {
      const top = stack.at(-1)
      if (top !== undefined && 'object' in top) top.key = token
      return 'colon'
    }
    return 'string'
  }
  const after = (character: string): State => {
    const top = stack.at(-1)
    if (character === ',') return top !== undefined && 'list' in top ? 'value' : 'key'
    if (character === ']') return close(true)
    return character === '}' ? close(false) : 'broken'
  }
  const step = (character: string): State => {
    if (state === 'string') return inString(character)
    if (state === 'scalar') {
      if (/[-+.0-9a-zA-Z]/.test(character)) {
        token += character
        return token.length > 400 ? 'broken' : 'scalar'
      }
      state = endScalar()
    }
    if (/\s/.test(character)) return state
    switch (state) {
      case 'value':
        return start(character)
      case 'key':
        if (character === '}') return close(false)
        if (character !== '"') return 'broken'
        token = ''
        isKey = true
        return 'string'
      case 'colon':
        return character === ':' ? 'value' : 'broken'
      case 'after':
        return after(character)
      default:
        return 'broken'
    }
  }
  return {
    push(text) {
      for (let index = 0; index < text.length; ) {
        if (state === 'broken') return false
        const plain = state === 'string' && escaped === undefined ? plainEnd(text, index) : index
        if (plain > index) token += text.slice(index, plain)
        else state = step(text[index] as string)
        index = Math.max(plain, index + 1)
      }
      if (state === 'string' && !isKey) show(false)
      return state !== 'broken'
    },
    get value() {
      return root
    },
  }
}

/** Where a run of characters ends that stand for themselves in a string. */
function plainEnd(text: string, from: number): number {
  let index = from
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x22 || code === 0x5c) break
    index += 1
  }
  return index
}

function define(object: { [key: string]: unknown }, key: string, value: unknown): void {
  // What every object inherits may be a setter, or frozen; all else is assigned, which is several times faster.
  if (!(key in Object.prototype)) object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

function unescaped(sequence: string): string | undefined {
  const known = escapes.indexOf(sequence.charAt(1))
  if (known !== -1) return meant[known]
  return /^\\u[0-9a-fA-F]{4}$/.test(sequence) ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16)) : undefined
}

const escapes = '"\\/bfnrt'
const meant = '"\\/\b\f\n\r\t'
