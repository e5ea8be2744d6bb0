// A concern of the matrix: one canonical value, and what it is on each of the five wires, side by side in one file.
// The trap: bodies hold integers beyond double precision, so files are read and written without ever rounding a number.
import { readdirSync, readFileSync } from 'node:fs'
import { type BrokenCall, type ToolCall, textOf, type Wire, wires } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { decodeMessage } from '../../src/conversation/stored.js'
import { decodeRequest } from '../../src/conversation/stored-request.js'
import { type ErrorCode, errorCodes } from '../../src/errors/error.js'
import { parseJson } from '../../src/json/parse.js'
import type { Value, ValueObject } from '../../src/json/types.js'

/** What is asked of a wire. Everything else of a column follows from it. */
export interface Asked {
  /** The model, where the wire looks at its name. Default: the canonical one. */
  readonly model?: string
  /** The vendor. Default: the wire's own. */
  readonly profile?: string
  readonly stream?: true
}

/** A concern on one wire. */
export interface Column extends Asked {
  /** Requests: path and query. */
  readonly path?: string
  /** Requests: headers besides the content type, where there are any. */
  readonly headers?: Readonly<Record<string, string>>
  /** Errors: the status. */
  readonly status?: number
  readonly body?: Value
  /** `code /path`, of repairs and losses, in the order they are reported. */
  readonly losses?: readonly string[]
  /** What the body decodes to, where that is not the sealed canonical value with its losses applied. */
  readonly decoded?: Value
  /** The code of the error, where sending anything would be wrong. */
  readonly refused?: string
}

interface Described {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly wires: Readonly<Record<Wire, Column>>
}
export interface RequestConcern extends Described {
  readonly kind: 'request'
  readonly canonical: CompletionRequest
}
export interface ResponseConcern extends Described {
  readonly kind: 'response'
  readonly canonical: CompletionResponse
}
export interface ErrorConcern extends Described {
  readonly kind: 'error'
  readonly canonical: { readonly code: ErrorCode; readonly message: string; readonly retryAfterMs?: number }
}
export type Concern = RequestConcern | ResponseConcern | ErrorConcern

const kinds = ['request', 'response', 'error'] as const
const columnKeys = ['model', 'profile', 'stream', 'path', 'headers', 'status', 'body', 'losses', 'decoded', 'refused']
const responseKeys = ['id', 'model', 'message', 'finishReason', 'rawFinishReason', 'usage', 'metadata']

/** All concerns of a folder, by kind and then by name. */
export function readConcerns(folder: URL): readonly Concern[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const concerns = files.map((file) => readConcern(file.slice(0, -5), readFileSync(new URL(file, folder), 'utf8')))
  const rank = (concern: Concern): string => `${kinds.indexOf(concern.kind)} ${concern.name}`
  return concerns.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** A concern from its text. A missing wire, an unknown member or a wrong canonical value is refused by name. */
export function readConcern(name: string, text: string): Concern {
  const file = objectAt(parseJson(text), name)
  const kind = kinds.find((known) => known === file.kind)
  if (kind === undefined) throw new Error(`${name}: kind must be one of ${kinds.join(', ')}`)
  onlyKeys(file, ['title', 'kind', 'about', kind, 'wires'], name)
  const { title, about } = file
  if (typeof title !== 'string' || typeof about !== 'string') throw new Error(`${name}: title and about are sentences`)
  const described = { name, title, about, wires: readColumns(objectAt(file.wires, `${name}/wires`), name) }
  const value = objectAt(file[kind], `${name}/${kind}`)
  switch (kind) {
    case 'request':
      return { ...described, kind, canonical: decodeRequest(value) }
    case 'response':
      return { ...described, kind, canonical: readResponse(value, name) }
    case 'error':
      return { ...described, kind, canonical: readError(value, name) }
  }
}

function readColumns(columns: ValueObject, name: string): Readonly<Record<Wire, Column>> {
  onlyKeys(columns, wires, `${name}/wires`)
  const read = wires.map((wire) => {
    const column = objectAt(columns[wire], `${name}/wires/${wire}`)
    onlyKeys(column, columnKeys, `${name}/wires/${wire}`)
    return [wire, column]
  })
  return Object.fromEntries(read) as Record<Wire, Column>
}

/** A response is stored without what is read off its message. */
function readResponse(value: ValueObject, name: string): CompletionResponse {
  onlyKeys(value, responseKeys, `${name}/response`)
  const message = decodeMessage(value.message, '/message')
  if (message.role !== 'assistant') throw new Error(`${name}: the message of a response is the assistant's`)
  const { content } = message
  const toolCalls = content.filter((part): part is ToolCall => part.type === 'tool_call')
  const brokenCalls = content.filter((part): part is BrokenCall => part.type === 'broken_call')
  const requiresToolExecution = toolCalls.length + brokenCalls.length > 0
  const derived = { text: textOf(content), toolCalls, brokenCalls, requiresToolExecution, losses: [] }
  return { metadata: {}, ...value, message, ...derived } as unknown as CompletionResponse
}

function readError(value: ValueObject, name: string): ErrorConcern['canonical'] {
  onlyKeys(value, ['code', 'message', 'retryAfterMs'], `${name}/error`)
  if (!Object.hasOwn(errorCodes, String(value.code))) throw new Error(`${name}: unknown code ${String(value.code)}`)
  return value as unknown as ErrorConcern['canonical']
}

function objectAt(value: Value | undefined, place: string): ValueObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ValueObject
  throw new Error(value === undefined ? `${place} is missing` : `${place} must be an object`)
}

function onlyKeys(object: ValueObject, known: readonly string[], place: string): void {
  const unknown = Object.keys(object).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new Error(`${place} has unknown members: ${unknown.join(', ')}`)
}

/** JSON for readers: what fits into the width stands on one line, the rest one member per line. */
export function formatJson(value: Value, width = 120, indent = '', head = ''): string {
  const flat = inline(value)
  const fits = indent.length + head.length + flat.length < width
  if (fits || typeof value !== 'object' || value === null || flat.length === 2) return head + flat
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item: Value) => formatJson(item, width, inner))
    : Object.entries(value).map(([key, item]) => formatJson(item as Value, width, inner, `${JSON.stringify(key)}: `))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${head}${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`
}

function inline(value: Value): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Value) => inline(item)).join(', ')}]`
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item as Value)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
