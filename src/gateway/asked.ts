// The little a gateway must know of a call that it sends on as it came: reading all of it would cost more than the call.
import type { Wire } from '../conversation/messages.js'
import type { ObjectText } from '../json/members.js'
import { isJsonObject, isList } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Exchange, HttpRequest } from '../wire/codec.js'
import { readPath } from '../wire/gemini/paths.js'
import { type SparseRequest, sparseRequest } from '../wire/remembered-tools.js'
import {
  checkedMembers,
  checkGeminiModel,
  checkQuery,
  memberOf,
  streamIn,
  valueIn,
  wantsUsage,
} from './request-rules.js'

/** A body whose members were looked through. */
export interface NamedBody {
  readonly sparse: SparseRequest
  /** The members of the sparse text. */
  readonly object: ObjectText
}

/** What was asked, and the body that says so. */
export interface Asked {
  readonly exchange: Exchange
  readonly body: NamedBody
}

/** Throws for what breaks a rule; undefined for what the codec has to read, to reject it in the form of its API. */
export function askedOf(wire: Wire, { path, body }: HttpRequest): Asked | undefined {
  const mark = path.indexOf('?')
  if (mark >= 0) checkQuery(wire, path.slice(mark))
  const named = namedBody(body as string)
  if (named === undefined) return undefined
  const { text } = named.sparse
  const { members } = named.object
  if (wire === 'gemini') {
    checkGeminiModel(path, text, members)
    const { model, stream } = readPath(path)
    return model === '' ? undefined : { exchange: { wire, model, stream }, body: named }
  }
  const model = valueIn(text, memberOf(members, 'model'))
  const stream = streamIn(wire, text, memberOf(members, 'stream'))
  const includeUsage = wantsUsage(text, memberOf(members, 'stream_options'))
  if (typeof model !== 'string') return undefined
  return { exchange: { wire, model, stream, client: { includeUsage } }, body: named }
}

/** The tools of a body that name something by this member; tools that were recognised are not in the sparse text. */
export function toolsWith({ sparse: { text, tools }, object }: NamedBody, name: string): readonly JsonObject[] {
  const member = memberOf(object.members, 'tools')
  if (member === undefined) return []
  const own = text.slice(member.start, member.end)
  const raw = tools !== undefined && own.startsWith('"') ? tools.text : own
  if (!raw.includes(`"${name}"`) && !raw.includes('\\u')) return []
  const list = valueIn(raw, { start: 0, end: raw.length })
  return isList(list) ? list.filter((tool: Json): tool is JsonObject => isJsonObject(tool) && name in tool) : []
}

/** The body with its members; undefined for what is not a JSON object. */
export function namedBody(text: string): NamedBody | undefined {
  const sparse = sparseRequest(text)
  const object = checkedMembers(sparse.text)
  return object === undefined ? undefined : { sparse, object }
}
