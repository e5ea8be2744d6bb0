// The little a gateway must know of a call that it sends on as it came: reading all of it would cost more than the call.
// What is not found here is for the codec to read, and to refuse in the form of its wire; what is no JSON, for the provider.
import type { Wire } from '../conversation/messages.js'
import { keysOf, lastOf, memberFinder, type Places } from '../json/members.js'
import type { Exchange, HttpRequest } from '../wire/codec.js'
import { readPath } from '../wire/gemini/paths.js'
import { type SparseRequest, sparseRequest } from '../wire/remembered-tools.js'
import { refused } from './failure.js'

/** A body that was looked through for the name of its model. */
export interface NamedBody {
  readonly sparse: SparseRequest
  /** Where the name stands in the sparse text. */
  readonly model: Places
}

/** What was asked, and the body that says so. */
export interface Asked {
  readonly exchange: Exchange
  readonly body: NamedBody
}

const membersOf = memberFinder(['model', 'stream', 'stream_options'])
const usageOf = memberFinder(['include_usage'])
const modelOf = memberFinder(['model'])

export function askedOf(wire: Wire, { path, body }: HttpRequest): Asked | undefined {
  const text = body as string
  if (wire === 'gemini') {
    const { model, stream } = readPath(path)
    const body = { sparse: { text, tools: undefined }, model: modelOf(text)[0] }
    return model === '' ? undefined : { exchange: { wire, model, stream }, body }
  }
  const sparse = sparseRequest(text)
  const [models, streams, options] = membersOf(sparse.text)
  const model = textIn(lastOf(sparse.text, models))
  if (model === undefined) return undefined
  refuseOtherModel(sparse.text)
  const streamed = lastOf(sparse.text, streams)
  const stream = wire === 'ollama' ? streamed !== 'false' : streamed === 'true'
  const client = { includeUsage: wantsUsage(lastOf(sparse.text, options)) }
  return { exchange: { wire, model, stream, client }, body: { sparse, model: models } }
}

/** Servers that take names of members in any case would ask another model than the one that the client may use. */
function refuseOtherModel(text: string): void {
  if (!otherCase.test(text) && !text.includes('\\u')) return
  const other = keysOf(text).find((key) => key !== 'model' && key.toLowerCase() === 'model')
  if (other !== undefined) throw refused(400, 'invalid_request', `the member "${other}" is not taken; write "model"`)
}

const otherCase = /"(?!model")[mM][oO][dD][eE][lL]"/

function wantsUsage(options: string | undefined): boolean {
  return options !== undefined && lastOf(options, usageOf(options)[0]) === 'true'
}

/** The same for a body of which all else is known. */
export function namedBody(text: string): NamedBody {
  const sparse = sparseRequest(text)
  return { sparse, model: modelOf(sparse.text)[0] }
}

/** What most names are made of. */
const plainName = /^"[\w.:/-]*"$/

function textIn(span: string | undefined): string | undefined {
  if (span === undefined) return undefined
  if (plainName.test(span)) return span.slice(1, -1)
  try {
    const value: unknown = span.startsWith('"') ? JSON.parse(span) : undefined
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
