// Failed results on wires without an error flag: the text says so in front. `ERROR: ` is written; `Error: ` is read too.
import { at, type Loss } from '../conversation/losses.js'
import type { ToolResult, Wire } from '../conversation/messages.js'

const prefix = 'ERROR: '
const readPrefixes: readonly string[] = [prefix, 'Error: ']

/** The text to send for the first text of a result. `spelling` is the prefix it came with, when it came from this wire. */
export function withErrorPrefix(text: string, isError: boolean, spelling: string = prefix): string {
  return isError ? spelling + text : text
}

/** A result text as read: whether it reports a failure, the text without the prefix, and the prefix when it is not the usual one. */
export function readErrorPrefix(text: string): {
  readonly isError: boolean
  readonly text: string
  readonly spelling?: string
} {
  // Hardly a text begins with the letter that all of them begin with.
  const found = text.startsWith('E') ? readPrefixes.find((candidate) => text.startsWith(candidate)) : undefined
  if (found === undefined) return { isError: false, text }
  const rest = { isError: true, text: text.slice(found.length) }
  return found === prefix ? rest : { ...rest, spelling: found }
}

/** A success whose text begins like a failure will be read as one: says so, as executable losses. `path` is the result's. */
export function reportAmbiguousPrefix(wire: Wire, result: ToolResult, path: string, losses: Loss[]): void {
  if (result.isError) return
  const index = result.content.findIndex((part) => part.type === 'text')
  const part = result.content[index]
  if (part?.type !== 'text') return
  const read = readErrorPrefix(part.text)
  if (!read.isError) return
  const message = `the successful result of "${result.name}" begins like an error; readers of ${wire} cannot tell it from one`
  const loss = { code: 'error_prefix_ambiguous', wire, kind: 'changed', message } as const
  const text = at(at(at(path, 'content'), index), 'text')
  losses.push({ ...loss, path: at(path, 'isError'), to: true }, { ...loss, path: text, to: read.text })
}
