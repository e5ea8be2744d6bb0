// Results: made by a program, or from whatever a tool returned. Trap: a returned value is foreign; reading it may throw, and
// a result that already is one still answers the call it was made for, whatever id it carries. What is made here is plain data
// and frozen, so that nobody has to look through it again.
import { freeze } from '../conversation/freeze.js'
import {
  type AnyCall,
  type ImagePart,
  type ResultPart,
  type ToolFailure,
  type ToolMessage,
  type ToolResult,
  textOf,
  toolErrorCategories,
} from '../conversation/messages.js'
import { toModelText } from '../conversation/tool-error.js'
import { displayResult } from '../json/display.js'
import type { Unsupported } from '../json/unsupported.js'
import { type FailureView, failureOf, foreignMessage } from './failure.js'
import { failedCategory, keepBlocks, plainJson, type Returned, readMcp } from './mcp-content.js'
import { capText } from './result-size.js'

export const defaultMaxResultBytes = 100_000
/** An inline image is never cut: beyond this many base64 characters it is left out, and the text says so. */
const maxImageCharacters = 16_777_216
const partTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'file', 'opaque'])

export interface ResultView extends FailureView {
  readonly maxResultBytes?: number
}
type CallName = Pick<AnyCall, 'id' | 'name'>

/** Results by hand, for programs that run their tools themselves. */
export const toolResult: {
  /** The value as the executor would show it to the model. */
  success(call: CallName, value: unknown): ToolResult
  /** A message or failure as it is; anything else as if a tool had thrown it. */
  error(call: CallName, error: unknown): ToolResult
} = {
  success: (call, value) => resultOf(call, value),
  error: (call, error) => failedResult(call, writtenFailure(error) ?? failureOf(error)),
}

/** All results of one turn, as the message that answers it. */
export function toolResults(results: readonly ToolResult[]): ToolMessage {
  return { role: 'tool', results }
}

/** The content of a LangChain tool message: `Error: <message>` of a failed result, the text of any other. */
export function errorText(result: ToolResult): string {
  return result.isError ? `Error: ${result.error?.message ?? textOf(result.content)}` : textOf(result.content)
}

/** A failure as the result the model reads; its message, details and text each fit the size cap. */
export function failedResult(call: CallName, failure: ToolFailure, view: ResultView = {}): ToolResult {
  const maxBytes = view.maxResultBytes ?? defaultMaxResultBytes
  const error = capFailure(failure, maxBytes)
  const content = textParts(capText(toModelText(error), maxBytes))
  return freeze({ callId: call.id, name: call.name, content, isError: true, error })
}

/**
 * Total: strings as they are, `undefined` as nothing, MCP results by their rule, a finished `ToolResult` under this call's id,
 * everything else as JSON. A value that cannot be read, or that JSON would leave empty, is a failed result.
 */
export function resultOf(call: CallName, value: unknown, view: ResultView = {}): ToolResult {
  try {
    if (value === undefined) return successful(call, { text: '', images: [], isError: false }, view)
    if (typeof value === 'string') return successful(call, { text: value, images: [], isError: false }, view)
    if (isToolResult(value)) return adopted(call, value, view)
    const returned = readMcp(value)
    if (returned === undefined) return createJsonResult(call, value, view)
    return returned.isError ? refused(call, returned, view) : successful(call, returned, view)
  } catch {
    return failedResult(call, { category: 'unknown', message: 'The tool returned a value that cannot be read' }, view)
  }
}

/** The value as JSON text, or a failure for one that JSON would leave empty. */
function createJsonResult(call: CallName, value: unknown, view: ResultView): ToolResult {
  if (typeof value === 'function' || typeof value === 'symbol') {
    return createUnsupportedResult(
      call,
      { kind: `a ${typeof value}`, remedy: 'return a value that JSON can hold' },
      view,
    )
  }
  const { text, unsupported } = displayResult(value)
  if (unsupported !== undefined) return createUnsupportedResult(call, unsupported, view)
  return successful(call, { text, images: [], isError: false }, view)
}

function createUnsupportedResult(call: CallName, { kind, remedy }: Unsupported, view: ResultView): ToolResult {
  const message = `Tool "${call.name}" returned ${kind}, which can't be sent to a model; ${remedy}`
  return failedResult(call, { category: 'unknown', message }, view)
}

function successful(call: CallName, returned: Returned, view: ResultView): ToolResult {
  const content = contentOf(returned, view.maxResultBytes ?? defaultMaxResultBytes)
  const plain = { callId: call.id, name: call.name, content, isError: false }
  const result = freeze(returned.artifacts === undefined ? plain : { ...plain, artifacts: returned.artifacts })
  keepBlocks(result, returned)
  return result
}

function contentOf({ text, images }: Returned, maxBytes: number): readonly ResultPart[] {
  if (images.length === 0) return textParts(capText(text, maxBytes))
  const shown = shownImages(images)
  return [...textParts(capText(shown.note === '' ? text : `${text}\n${shown.note}`, maxBytes)), ...shown.images]
}

/** An MCP result that says it is an error: the server's text is as foreign as a thrown message. */
function refused(call: CallName, returned: Returned, view: ResultView): ToolResult {
  const message = foreignMessage(() => returned.text, view)
  const result = failedResult(call, { category: failedCategory(returned.text), message }, view)
  return returned.artifacts === undefined || view.exposeErrors === 'category'
    ? result
    : { ...result, artifacts: returned.artifacts }
}

function adopted(call: CallName, made: ToolResult, view: ResultView): ToolResult {
  const maxBytes = view.maxResultBytes ?? defaultMaxResultBytes
  const copy = plainCopy(made)
  const text = textOf(copy.content)
  const capped = capText(text, maxBytes)
  const others = copy.content.filter((part) => part.type !== 'text')
  const result: ToolResult = {
    ...copy,
    callId: call.id,
    name: call.name,
    content: capped === text ? copy.content : [...textParts(capped), ...others],
  }
  if (!result.isError) return result
  return { ...result, error: capFailure(result.error ?? { category: 'unknown', message: capped }, maxBytes) }
}

/** Strings are shared, so the copy is cheap; a display copy would cut long inline images. */
function plainCopy({ callId, name, content, isError, error, artifacts, extra }: ToolResult): ToolResult {
  return {
    callId,
    name,
    content: content.map((part) => ({ ...part })),
    isError,
    ...(error === undefined ? {} : { error: { ...error } }),
    ...(artifacts === undefined ? {} : { artifacts: plainJson(artifacts) as NonNullable<ToolResult['artifacts']> }),
    ...(extra === undefined ? {} : { extra: plainJson(extra) as NonNullable<ToolResult['extra']> }),
  }
}

/** What the program itself wrote as a failure: a message, or a record. */
function writtenFailure(error: unknown): ToolFailure | undefined {
  if (typeof error === 'string') return { category: 'unknown', message: error }
  return isFailure(error) ? error : undefined
}

function isFailure(value: unknown): value is ToolFailure {
  if (typeof value !== 'object' || value === null || value instanceof Error) return false
  const { category, message } = value as Partial<ToolFailure>
  return category !== undefined && toolErrorCategories.includes(category) && typeof message === 'string'
}

function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { callId, isError, content } = value as Partial<ToolResult>
  if (typeof callId !== 'string' || typeof isError !== 'boolean' || !Array.isArray(content)) return false
  return content.every(isPart)
}

function isPart(value: unknown): value is ResultPart {
  if (typeof value !== 'object' || value === null) return false
  const { type, text } = value as { readonly type?: unknown; readonly text?: unknown }
  return partTypes.has(type) && (type !== 'text' || typeof text === 'string')
}

function shownImages(images: readonly ImagePart[]): { readonly images: readonly ImagePart[]; readonly note: string } {
  const tooLarge = images.filter((image) => (image.data?.length ?? 0) > maxImageCharacters)
  const note = tooLarge.map((image) => `[an image of ${image.data?.length} base64 characters was left out]`).join('\n')
  return { images: images.filter((image) => !tooLarge.includes(image)), note }
}

function capFailure(failure: ToolFailure, maxBytes: number): ToolFailure {
  const { category, details } = failure
  const message = capText(failure.message, maxBytes)
  if (details === undefined) return { category, message }
  const entries = Object.entries(details).map(([key, value]) => [key, capText(value, maxBytes)] as const)
  return { category, message, details: Object.fromEntries(entries) }
}

/** No part for no text: some wires refuse an empty one. */
function textParts(text: string): readonly ResultPart[] {
  return text === '' ? [] : Object.freeze([Object.freeze({ type: 'text', text } as const)])
}
