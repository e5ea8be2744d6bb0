// Reads regular expressions into programs of the automaton. Only expressions that the runtime accepts with the flag `u` are read, so
// that they are well-formed here, and what a class or an escape accepts is left to the runtime.
// Trap: repetitions are written out, so that an expression is weighed before its program is made.
import type { Instruction, Program } from './automaton.js'

/** Puts an instruction into the program; its index. */
type Put = (instruction: Instruction) => number

/** A part of an expression. */
interface Part {
  /** About how many instructions it becomes. */
  readonly weight: number
  /** Writes it in front of the instruction `next`; where it begins. */
  write(put: Put, next: number): number
}

// Groups with a question mark only where they have a name or none; no escapes that refer back, as \1 and \k do.
const token =
  /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))|(?:[*+?]|\{[\d,]+\})\??|\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\c.|\\[^1-9k]|[^\\(]/suy

/** The program of an expression; undefined for one that is heavier than the limit, looks around or refers back. */
export function programOf(source: string, weightLimit: number): (Program & { readonly weight: number }) | undefined {
  const outer: Part[][][] = []
  let options: Part[][] = [[]]
  token.lastIndex = 0
  while (token.lastIndex < source.length) {
    const text = token.exec(source)?.[0]
    if (text === undefined) return undefined
    const parts = options.at(-1) ?? []
    const last = parts.at(-1)
    if (text[0] === '(') {
      outer.push(options)
      options = [[]]
    } else if (text === ')') {
      const group = choice(options)
      options = outer.pop() ?? []
      options.at(-1)?.push(group)
    } else if (text === '|') {
      options.push([])
    } else if (last !== undefined && /^[*+?{]/.test(text)) {
      parts.splice(-1, 1, repetition(last, text))
    } else {
      parts.push(single(text))
    }
  }
  const whole = choice(options)
  if (whole.weight > weightLimit) return undefined
  const instructions: Instruction[] = [{ type: 'match' }]
  const start = whole.write((instruction) => instructions.push(instruction) - 1, 0)
  return { instructions, start, weight: whole.weight }
}

/** What stands for one character, or for a place between two. */
function single(text: string): Part {
  if (text === '^' || text === '$' || text === '\\b' || text === '\\B') {
    return { weight: 1, write: (put, next) => put({ type: 'assertion', assertion: text, next }) }
  }
  return { weight: 1, write: (put, next) => put({ type: 'atom', source: text, next }) }
}

function choice(options: readonly (readonly Part[])[]): Part {
  return {
    weight: options.flat().reduce((sum, { weight }) => sum + weight, options.length),
    write(put, next) {
      const targets = options.map((parts) => parts.reduceRight((following, part) => part.write(put, following), next))
      const [only] = targets
      return only !== undefined && targets.length === 1 ? only : put({ type: 'fork', targets })
    },
  }
}

/** Greedy or not is the same where only the verdict counts. */
function repetition(part: Part, text: string): Part {
  const [least, most] = boundsOf(text)
  const endless = most === Number.POSITIVE_INFINITY
  return {
    weight: part.weight * Math.max(1, least, endless ? 1 : most),
    write(put, next) {
      let entry = next
      if (endless) {
        const targets = [next]
        const fork = put({ type: 'fork', targets })
        const body = part.write(put, fork)
        targets.push(body)
        entry = least === 0 ? fork : body
      }
      for (let count = least; count < most && !endless; count += 1) {
        entry = put({ type: 'fork', targets: [part.write(put, entry), next] })
      }
      for (let count = endless ? 1 : 0; count < least; count += 1) entry = part.write(put, entry)
      return entry
    },
  }
}

function boundsOf(text: string): [least: number, most: number] {
  if (text[0] === '*') return [0, Number.POSITIVE_INFINITY]
  if (text[0] === '+') return [1, Number.POSITIVE_INFINITY]
  if (text[0] === '?') return [0, 1]
  const [least, most = least] = text.replace(/[{}?]/g, '').split(',')
  return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)]
}

/** What the runtime refuses with `u` though its meaning is plain: needless escapes, lone brackets, `[\w-.]`. */
const loose = /\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\.|\{(?:\d+(?:,\d*)?\})?|[\]}]/gsu
const looseInClass = /\\[dDwWsS]-|-(?=\\[dDwWsS])|\\./gsu
const needlessEscape = /^\\(?:_|[^\w^$\\.*+?()[\]{}|/])$/u

/** A second dash after `\d-`: it looks like a range or a set difference, and without the flag it is neither. */
const unclearRange = /\\[dDwWsS]-(?:-|(?:\\.|[^\]\\])-)[^\]]/su

/** The expression as it is written for the flag `u`; undefined when ECMAScript does not accept it, or it means another thing elsewhere. */
export function unicodeSource(source: string): string | undefined {
  if (isWellFormed(source, 'u')) return source
  // Without the flag it must be well-formed as it stands: rewriting must not make something out of nothing.
  if (!isWellFormed(source, '')) return undefined
  // Posix has classes in classes.
  if (/\[\[:\^?\w+:\]/.test(source)) return undefined
  let isClear = true
  const written = source.replace(loose, (text) => {
    if (text[0] === '[') {
      if (unclearRange.test(text)) isClear = false
      return text.replace(looseInClass, writtenInClass)
    }
    if (text[0] === '\\') return needlessEscape.test(text) ? text.slice(1) : text
    return text.length === 1 ? `\\${text}` : text
  })
  return isClear && isWellFormed(written, 'u') ? written : undefined
}

function writtenInClass(text: string): string {
  if (text.endsWith('-')) return text.replace(/\\?-$/, '\\-')
  return needlessEscape.test(text) ? text.slice(1) : text
}

function isWellFormed(source: string, flags: 'u' | ''): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}
