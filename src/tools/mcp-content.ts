// What MCP and LangChain tools return: content blocks, or a text with artifacts. The model gets text and images; the rest is kept beside.
// Trap: a program's own objects may have a `content` member too, so only the exact MCP form is taken apart; everything else,
// an unknown kind of block included, is shown to the model as the JSON it is.
import { type ImagePart, type ToolErrorCategory, type ToolResult, textOf } from '../conversation/messages.js'
import { displayJson } from '../json/display.js'
import { parseBody, parseJson } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { Json, JsonObject, Value } from '../json/types.js'

/** A returned value, taken apart. */
export interface Returned {
  readonly text: string
  readonly images: readonly ImagePart[]
  readonly artifacts?: JsonObject
  readonly isError: boolean
  /** The blocks of an MCP result, as they came. */
  readonly blocks?: readonly Block[]
}

export interface Block {
  readonly type: string
  readonly [key: string]: unknown
}

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])
const resultKeys: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta'])

/** What the codes of JSON-RPC and MCP mean for a call. */
const codeCategories: ReadonlyMap<string, ToolErrorCategory> = new Map([
  ['-32602', 'invalid_arguments'],
  ['-32601', 'resource_not_found'],
  ['-32002', 'resource_not_found'],
])

/** The kind of a failed result. Servers built on the official SDK tell of bad arguments in its text, by the protocol's code. */
export function failedCategory(text: string): ToolErrorCategory {
  const code = /^(?:McpError: )?MCP error (-\d+)\b/.exec(text)?.[1]
  return codeCategories.get(code ?? '') ?? 'unknown'
}

/** Arrays that are pairs of content and artifacts. */
const pairs = new WeakSet<object>()

/**
 * Marks a value that a LangChain tool returned: an array of content and artifacts is a pair then. An array that any other
 * tool returns is data, whatever is in it.
 */
export function markContentPair<T>(value: T): T {
  if (Array.isArray(value)) pairs.add(value)
  return value
}

/** A `CallToolResult`, or a marked pair of text (or blocks) and artifacts; undefined for every other value. */
export function readMcp(value: unknown): Returned | undefined {
  if (Array.isArray(value)) return pairs.has(value) ? readPair(value) : undefined
  if (typeof value !== 'object' || value === null || !('content' in value)) return undefined
  if (!Object.keys(value).every((key) => resultKeys.has(key))) return undefined
  const { content, structuredContent, isError, _meta } = value as { readonly [key: string]: unknown }
  if (!isBlocks(content)) return undefined
  const rest = content.filter((block) => !isText(block) && imageOf(block) === undefined)
  const kept = new Map<string, unknown>()
  if (structuredContent !== undefined) kept.set('structuredContent', structuredContent)
  if (rest.length > 0) kept.set('content', rest)
  if (_meta !== undefined) kept.set('_meta', _meta)
  const blocks = readBlocks(content)
  const nothingShown = blocks.text === '' && blocks.images.length === 0
  const text = nothingShown ? describe(structuredContent, rest) : blocks.text
  return { ...blocks, text, isError: isError === true, blocks: content, ...artifactsOf(kept) }
}

/** The blocks that results were made of, for who passes them on to another client of MCP. */
const sources = new WeakMap<ToolResult, { readonly text: string; readonly blocks: readonly Block[] }>()

export function keepBlocks(result: ToolResult, { text, blocks }: Returned): void {
  if (blocks !== undefined) sources.set(result, { text, blocks })
}

/** All blocks of a result that an MCP tool gave; nothing where its text was cut, or where it never had blocks. */
export function blocksOf(result: ToolResult): readonly Block[] | undefined {
  const source = sources.get(result)
  if (source === undefined || textOf(result.content) !== source.text) return undefined
  try {
    return parseJson(stringifyJson(source.blocks as unknown as Value)) as unknown as readonly Block[]
  } catch {
    return undefined // a block that is no JSON
  }
}

/** `[text, artifacts]`. The second must be an object or a list: a list of two strings is data. */
function readPair(value: readonly unknown[]): Returned | undefined {
  const [content, artifacts] = value
  if (value.length !== 2 || typeof artifacts !== 'object' || artifacts === null) return undefined
  const kept = artifactsOf(new Map([['artifacts', artifacts]]))
  if (typeof content === 'string') return { text: content, images: [], isError: false, ...kept }
  if (!isBlocks(content) || content.length === 0) return undefined
  return { ...readBlocks(content), isError: false, ...kept }
}

function readBlocks(blocks: readonly Block[]): { readonly text: string; readonly images: readonly ImagePart[] } {
  const texts = blocks.filter(isText).map((block) => block.text)
  return { text: texts.join('\n'), images: blocks.flatMap((block) => imageOf(block) ?? []) }
}

/** What the model reads when there is neither text nor image: the structured value, else what was kept from it. */
function describe(structuredContent: unknown, rest: readonly Block[]): string {
  if (structuredContent !== undefined) return displayJson(structuredContent)
  return rest.map(describeBlock).join('\n')
}

function describeBlock(block: Block): string {
  const { text, uri } = (block.resource ?? block) as { readonly text?: unknown; readonly uri?: unknown }
  if (block.type === 'resource' && typeof text === 'string') return text
  return typeof uri === 'string' ? `[${block.type}: ${uri}]` : `[${block.type}]`
}

function isBlocks(value: unknown): value is readonly Block[] {
  return Array.isArray(value) && value.every(isMcpBlock)
}

/** Whether a value is a content block of a kind that is known here. */
export function isMcpBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && blockTypes.has((value as Partial<Block>).type)
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === 'text' && typeof block.text === 'string'
}

function imageOf(block: Block): ImagePart | undefined {
  const { type, data, mimeType } = block
  if (type !== 'image' || typeof data !== 'string' || typeof mimeType !== 'string') return undefined
  return { type: 'image', mediaType: mimeType, data }
}

function artifactsOf(kept: ReadonlyMap<string, unknown>): { readonly artifacts?: JsonObject } {
  if (kept.size === 0) return {}
  return { artifacts: Object.fromEntries([...kept].map(([key, value]) => [key, plainJson(value)])) }
}

/** Any value as plain JSON data that nobody else can still change. */
export function plainJson(value: unknown): Json {
  return parseBody(displayJson(value))
}
