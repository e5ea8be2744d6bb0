// Tool declarations, both ways. Several entries of `tools` may hold declarations: where one begins is noted on its first tool.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest, OpaqueTool, ToolSpec } from '../../conversation/request.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { differences } from '../differences.js'
import { leftover, noteOf } from '../extra.js'
import { wireName } from '../names.js'
import { cachedPiece, type Piece, relocate } from '../pieces.js'
import { invalidAt } from '../request-body.js'
import { inputSchemaPath, lowerTool, schemaNotes } from '../schemas.js'
import { isLegal, nameRule, ownFields } from './parts.js'
import { clientOrigin } from './parts-decode.js'
import { type GeminiProfile, schemaDialects } from './profiles.js'
import { openApiNote, toJsonSchema, writeSchema } from './schema.js'
import { camelKeys, declarationKeys, listOf, wire } from './types.js'

type Tool = NonNullable<CompletionRequest['tools']>[number]

/** The entries of `tools` as JSON text, without the brackets. */
export function writeTools(tools: readonly Tool[], profile: GeminiProfile, losses: Loss[]): string {
  const dialect = schemaDialects(profile).plain
  const chunks: string[] = []
  let open = false
  const close = (): void => {
    if (open) chunks.push(']}')
    open = false
  }
  tools.forEach((tool, index) => {
    const path = `/tools/${index}`
    if (tool.type === 'opaque' && !isBuiltIn(tool)) {
      const message = 'function declarations cannot be sent as a built-in tool; it was left out'
      losses.push({ code: 'tool_dropped', wire, path, kind: 'dropped', message })
      return
    }
    const separator = chunks.length === 0 ? '' : ','
    if (tool.type === 'opaque') {
      close()
      chunks.push(separator, writeUnicode(tool.data))
      return
    }
    const starts = !open || beginsEntry(tool)
    const piece = cachedPiece(tool, `${dialect}${starts && open ? '/entry' : ''}`, (node) =>
      writeDeclaration(node, starts && open, profile),
    )
    if (starts) {
      close()
      chunks.push(`${separator}{"functionDeclarations":[`)
    } else chunks.push(separator)
    open = true
    chunks.push(piece.text)
    if (piece.losses.length > 0) relocate(piece.losses, path, losses)
  })
  close()
  return chunks.join('')
}

function isBuiltIn(tool: OpaqueTool): boolean {
  return listOf(camelKeys(tool.data).functionDeclarations).length === 0
}

function beginsEntry(tool: ToolSpec): boolean {
  return noteOf(tool.extra?.[wire], 'entry') === true
}

function writeDeclaration(tool: ToolSpec, begins: boolean, profile: GeminiProfile): Piece {
  const losses: Loss[] = []
  const { schema, openApi, notes } = writeSchema(
    tool.inputSchema,
    noteOf(tool.extra?.[wire], 'parameters'),
    profile.schemas,
    (given) => lowerTool(given, false, schemaDialects(profile)),
  )
  const text = writeUnicode({
    name: wireName(tool.name, nameRule),
    description: tool.description,
    parameters: openApi,
    parametersJsonSchema: schema,
    ...ownFields(tool, declarationKeys),
  })
  if (begins || openApi !== undefined || schema !== tool.inputSchema || !isPlainTool(tool, text))
    differences(wire, tool, readDeclaration(parseBody(text) as JsonObject, begins), '', losses)
  for (const loss of schemaNotes(wire, notes, inputSchemaPath)) losses.push(loss)
  return { text, losses }
}

/** Whether a tool is written and read back with nothing changed, so that nothing needs to be compared. */
function isPlainTool({ name, strict, inputSchema, extra }: ToolSpec, text: string): boolean {
  if (strict !== undefined || extra !== undefined || !isLegal(name, nameRule)) return false
  return (inputSchema === undefined || inputSchema.type === 'object') && !text.includes('\ufffd')
}

/** Tools in order. What stands beside declarations in one entry, and entries of anything else, are built-in tools. */
export function readTools(value: Json | undefined, losses: Loss[]): readonly Tool[] {
  const tools: Tool[] = []
  listOf(value).forEach((item, index) => {
    if (!isJsonObject(item)) throw invalidAt(`/tools/${index}`, 'an object')
    const entry = camelKeys(item)
    const { functionDeclarations: declarations } = entry
    if (declarations === undefined || declarations === null) {
      tools.push({ type: 'opaque', origin: clientOrigin, data: item })
      return
    }
    listOf(declarations).forEach((declaration, place) => {
      if (!isJsonObject(declaration) || typeof declaration.name !== 'string') {
        throw invalidAt(`/tools/${index}/functionDeclarations/${place}`, 'an object with a name')
      }
      reportTwoSchemas(declaration, `/tools/${index}/functionDeclarations/${place}`, losses)
      const last = tools.at(-1)
      tools.push(readDeclaration(declaration, place === 0 && last !== undefined && last.type !== 'opaque'))
    })
    if (Object.keys(entry).length > 1) {
      const { functionDeclarations: _, ...rest } = entry
      tools.push({ type: 'opaque', origin: clientOrigin, data: rest })
    }
  })
  return tools
}

/** The API refuses two schemas of one function. Here the JSON Schema counts. */
function reportTwoSchemas(raw: JsonObject, path: string, losses: Loss[]): void {
  const { parameters, parametersJsonSchema: schema } = camelKeys(raw)
  if (!isJsonObject(parameters) || !isJsonObject(schema)) return
  const message = 'the function has two schemas; parametersJsonSchema counts and parameters was left out'
  losses.push({ code: 'schema_ignored', wire, path, kind: 'repaired', message })
}

/** `begins` says that an entry of its own begins here, right behind another declaration. */
function readDeclaration(raw: JsonObject, begins: boolean): ToolSpec {
  const declaration = camelKeys(raw)
  const { name, description, parameters, parametersJsonSchema: jsonSchema } = declaration
  const openApi = isJsonObject(parameters) && !isJsonObject(jsonSchema) ? parameters : undefined
  const schema = openApi === undefined ? jsonSchema : toJsonSchema(openApi)
  const notes = {
    ...(begins ? { entry: true } : {}),
    ...(openApi === undefined ? {} : { parameters: openApiNote(openApi) }),
  }
  return {
    name: typeof name === 'string' ? name : '',
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(schema) ? { inputSchema: schema } : {}),
    ...leftover(wire, declaration, declarationKeys, { notes }),
  }
}
