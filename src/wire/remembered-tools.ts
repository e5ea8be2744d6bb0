// The tools of a client stand in every request it makes, and are most of it: read once, they are recognised by their text.
// The trap: only the member of the request itself counts, not one of that name inside of something else.
import { freeze, memoOf } from '../conversation/freeze.js'
import type { Wire } from '../conversation/messages.js'
import { type Body, utf8 } from '../frames/body.js'
import { type KnownValue, type KnownValues, knownValues, minCharacters } from '../json/known-values.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { skipSpace } from '../json/scan.js'
import type { Json } from '../json/types.js'

const knownTools: KnownValues<readonly Json[]> = knownValues()
const key = '"tools":'
const openBracket = 91
/** Stands for the tools in a text that does not have it anyway. */
const mark = '"\\u0000tools\\u0000"'
const marked = JSON.parse(mark) as string

/** The text of a request; tools that are known are left out, and a mark stands in their place. */
export interface SparseRequest {
  readonly text: string
  readonly tools: KnownValue<readonly Json[]> | undefined
}

/** Quotes cannot stand in a string as they are: what follows the key is a value, of the request or of something in it. */
export function sparseRequest(text: string): SparseRequest {
  const at = text.length < minCharacters ? -1 : text.indexOf(key)
  const start = at < 0 ? text.length : skipSpace(text, at + key.length)
  const tools = text.charCodeAt(start) === openBracket ? knownTools.at(text, start) : undefined
  if (tools === undefined) return { text, tools }
  const before = text.slice(0, start)
  const after = text.slice(start + tools.text.length)
  if (before.includes(mark) || after.includes(mark)) return { text, tools: undefined }
  return { text: before + mark + after, tools }
}

/** A sparse text, which may have been changed elsewhere, with its tools again. */
export function filledRequest({ text, tools }: SparseRequest): Body {
  const at = text.indexOf(mark)
  if (tools === undefined || at < 0) return text
  tools.bytes ??= utf8(tools.text)
  return [text.slice(0, at), tools.bytes, text.slice(at + mark.length)]
}

/** `parseBody` for the body of a request; its `tools` may be a frozen list that earlier requests had, too. */
export function parseRequest(text: string): Json {
  const { text: rest, tools } = sparseRequest(text)
  if (tools === undefined) return parseBody(text)
  try {
    const body = parseBody(rest)
    if (!isJsonObject(body) || body.tools !== marked) return parseBody(text)
    tools.made ??= freeze(parseBody(tools.text) as readonly Json[])
    return Object.assign(body, { tools: tools.made })
  } catch {
    return parseBody(text) // which tells what is wrong, and where
  }
}

/** Each tool of a request, read; once for tools that were recognised, and frozen then, so that encoders remember them, too. */
export function readOnce<T extends object>(
  tools: readonly Json[],
  wire: Wire,
  read: (tool: Json, path: string) => T,
): readonly T[] {
  const memo = memoOf(tools)
  const known = memo?.get<readonly T[]>(wire)
  if (known !== undefined) return known
  const made = tools.map((tool, index) => read(tool, `/tools/${index}`))
  memo?.set(wire, made.map(freeze))
  return made
}
