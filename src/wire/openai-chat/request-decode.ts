// Requests of clients, decoded (the server half). Lenient: every spelling of every client is read, what is not understood is
// carried in `extra`, and only what cannot be a request at all is refused.
import type { Loss } from '../../conversation/losses.js'
import { isJsonObject } from '../../json/parse.js'
import { spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { DecodedRequest, Env, HttpRequest } from '../codec.js'
import { leftover, type Notes } from '../extra.js'
import { readOnce } from '../remembered-tools.js'
import { invalidAt, requestBody } from '../request-body.js'
import { decodeMessages } from './history-decode.js'
import { flagsOf } from './profiles.js'
import { deployment } from './request.js'
import { readSettings } from './settings-decode.js'
import { type AnyTool, decodeFunction, decodeTool } from './tools.js'
import { isNull, memberOf, wire } from './types.js'

export function decode(http: HttpRequest, env: Env): DecodedRequest {
  const flags = flagsOf(env.profile)
  const { text, body } = requestBody(http)
  const { model, notes: modelNotes } = readModel(body.model, http.path)
  const losses: Loss[] = []
  const messages = decodeMessages(required(body, 'messages'), flags, rawArguments(text), losses)
  const { tools, notes: toolNotes } = readTools(body)
  const stream = body.stream === true
  const options = body.stream_options
  const includeUsage = isJsonObject(options) && options.include_usage === true
  const settings = readSettings(body, { flags, stream })
  const notes = { ...settings.notes, ...modelNotes, ...toolNotes }
  const request = {
    model,
    messages,
    ...(tools === undefined ? {} : { tools }),
    ...settings.fields,
    ...leftover(wire, body, always, { isDefault: isNull, left: settings.left, notes }),
  }
  const client = { includeUsage, functions: toolNotes.functions === true }
  return { request, losses, exchange: { wire, model, stream, client } }
}

/** Members that are read, whatever they are. */
const always: ReadonlySet<string> = new Set(['model', 'messages', 'tools', 'functions'])

function required(body: JsonObject, key: string): Json {
  const value = body[key]
  if (value === undefined || value === null) throw invalidAt(`/${key}`, 'there')
  return value
}

/** The model of the body, or of the path of a deployment; where it stood is noted. */
function readModel(model: Json | undefined, path: string): { readonly model: string; readonly notes: Notes } {
  if (typeof model === 'string') return { model, notes: {} }
  const found = deployment.exec(path)
  if ((model ?? null) !== null || found === null) throw invalidAt('/model', 'the name of a model')
  return { model: unescaped(found[2] ?? ''), notes: { path } }
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function readTools(body: JsonObject): { readonly tools?: readonly AnyTool[]; readonly notes: Notes } {
  const tools = listOf(body, 'tools')
  const functions = listOf(body, 'functions')
  if (tools !== undefined) return { tools: readOnce(tools, wire, decodeTool), notes: {} }
  if (functions === undefined) return { notes: {} }
  const specs = functions.map((definition, index) => {
    if (!isJsonObject(definition)) throw invalidAt(`/functions/${index}`, 'an object')
    return decodeFunction(definition, `/functions/${index}`)
  })
  return { tools: specs, notes: { functions: true } }
}

/** A list with something in it; an empty one says nothing. */
function listOf(body: JsonObject, key: string): readonly Json[] | undefined {
  const list = memberOf(body, key) ?? null
  if (list === null) return undefined
  if (!Array.isArray(list)) throw invalidAt(`/${key}`, 'a list')
  return list.length === 0 ? undefined : list
}

const spansOf = spanFinder(['/messages/*/tool_calls/*/function/arguments'])

/** The raw text of arguments that came as an object instead of as text. Searched only when there are any. */
function rawArguments(text: string): (message: number, call: number) => string | undefined {
  const spans = spansOf(text)
  return (message, call) => spans(`/messages/${message}/tool_calls/${call}/function/arguments`)
}
