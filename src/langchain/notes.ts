// What LangChain's messages have no field for rides along as notes under one key of `additional_kwargs`, which chat models of
// other vendors ignore. Trap: a program may edit a message, so a note belongs to what was written, not to a position: it names
// the hash of the plain reading and is dropped when that is no longer what it was. They are one text: LangChain's own storage
// renames and loses keys of objects.
import { canonicalJson } from '../json/canonical.js'
import { shortHash } from '../json/digest.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

const key = 'toolwire'

/** How a part differs from what reading its plain LangChain form gives. */
export interface Note {
  /** Of the plain reading. */
  readonly of: string
  /** Which of several parts that read the same; the first when left out. */
  readonly nth?: number
  readonly set?: JsonObject
  readonly unset?: readonly string[]
}

/** The field of a LangChain message for what its library does not know. */
export type Kwargs = { [key: string]: unknown }

/** What rides on one message. */
export interface Carried {
  readonly notes?: readonly Note[]
  /** Members of the message itself. */
  readonly message?: JsonObject
  /** A message of results that begins right behind another one. */
  readonly begins?: true
}

/** A part as reading its written form gives it, and as it is. */
export type Pair = readonly [plain: object, whole: object]

/** The notes that make plain readings into the parts again; none for those that are the same. */
export function notesOf(pairs: readonly Pair[]): readonly Note[] {
  const count = counter()
  return pairs.flatMap(([plain, whole]): readonly Note[] => {
    const of = hashOf(plain)
    const nth = count(of)
    const [was, is] = [membersOf(plain), membersOf(whole)]
    const set = [...is].filter(([name, value]) => !isSame(was.get(name), value))
    const unset = [...was.keys()].filter((name) => !is.has(name))
    if (set.length === 0 && unset.length === 0) return []
    return [
      {
        of,
        ...(nth === 0 ? {} : { nth }),
        ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
        ...(unset.length === 0 ? {} : { unset }),
      },
    ]
  })
}

/** How often each text was seen before. */
function counter(): (text: string) => number {
  const seen = new Map<string, number>()
  return (text) => {
    const before = seen.get(text) ?? 0
    seen.set(text, before + 1)
    return before
  }
}

/** The `additional_kwargs` that carry this; none when there is nothing to carry. */
export function kwargsOf(carried: Carried): Kwargs {
  const { notes = [], message, begins } = carried
  const full: Carried = {
    ...(notes.length === 0 ? {} : { notes }),
    ...(message === undefined || Object.keys(message).length === 0 ? {} : { message }),
    ...(begins === undefined ? {} : { begins }),
  }
  return Object.keys(full).length === 0 ? {} : { [key]: JSON.stringify(full) }
}

/** Puts the notes of one message back onto the plain readings of its parts, asked for in their order. */
export interface Restorer {
  readonly message: JsonObject
  readonly begins: boolean
  restore<T extends object>(plain: T): T
}

export function restorerOf(kwargs: Readonly<Kwargs> | undefined): Restorer {
  const { notes, message, begins } = readCarried(kwargs?.[key])
  const open = new Map(
    (Array.isArray(notes) ? notes.filter(isNote) : []).map((note) => [nameOf(note.of, note.nth), note]),
  )
  const count = counter()
  return {
    message: isJsonObject(message) ? message : {},
    begins: begins === true,
    restore(plain) {
      if (open.size === 0) return plain
      const of = hashOf(plain)
      const note = open.get(nameOf(of, count(of)))
      return note === undefined ? plain : applied(plain, note)
    },
  }
}

function nameOf(of: string, nth = 0): string {
  return `${of}/${nth}`
}

function readCarried(text: unknown): { readonly [K in keyof Carried]?: unknown } {
  try {
    const value = typeof text === 'string' ? parseBody(text) : {}
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function applied<T extends object>(plain: T, { set = {}, unset = [] }: Note): T {
  const members = new Map<string, unknown>([...Object.entries(plain), ...Object.entries(set)])
  for (const name of unset) members.delete(name)
  return Object.fromEntries(members) as T // decoded as a message before anybody uses it
}

function isNote(value: unknown): value is Note {
  if (!isJsonObject(value)) return false
  const { of, set, unset } = value
  return typeof of === 'string' && (set === undefined || isJsonObject(set)) && (unset === undefined || isTexts(unset))
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function membersOf(value: object): ReadonlyMap<string, Json> {
  return new Map(Object.entries(value as JsonObject).filter(([, member]) => member !== undefined))
}

function isSame(a: Json | undefined, b: Json): boolean {
  return a !== undefined && (a === b || canonicalJson(a) === canonicalJson(b))
}

/** A call is the same whether its arguments are still text or were parsed, and whether it was found whole or not. */
function hashOf(plain: object): string {
  const { type, id, name, arguments: text } = plain as JsonObject
  const isCall = type === 'tool_call' || type === 'broken_call'
  return shortHash(canonicalJson(isCall ? [id ?? '', name ?? '', valueIn(text)] : (plain as JsonObject)))
}

function valueIn(text: Json | undefined): Json {
  if (typeof text !== 'string') return null
  try {
    return parseBody(text.trim() === '' ? '{}' : text) // no text is read as no arguments
  } catch {
    return text.trim()
  }
}
