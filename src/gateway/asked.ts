// The little a gateway must know of a call that it sends on as it came: reading all of it would cost more than the call.
// What is not found here is for the codec to read, and to refuse in the form of its wire; what is no JSON, for the provider.
import type { Wire } from '../conversation/messages.js'
import { spanFinder } from '../json/spans.js'
import type { Exchange, HttpRequest } from '../wire/codec.js'
import { readPath } from '../wire/gemini/paths.js'
import { type SparseRequest, sparseRequest } from '../wire/remembered-tools.js'

const spansOf = spanFinder(['/model', '/stream', '/stream_options/include_usage'])

/** What was asked, and the body as it was looked through for it. */
export interface Asked {
  readonly exchange: Exchange
  readonly sparse: SparseRequest
}

export function askedOf(wire: Wire, { path, body }: HttpRequest): Asked | undefined {
  const text = body as string
  if (wire === 'gemini') {
    const { model, stream } = readPath(path)
    return model === '' ? undefined : { exchange: { wire, model, stream }, sparse: { text, tools: undefined } }
  }
  const sparse = sparseRequest(text)
  const find = spansOf(sparse.text)
  const model = textIn(find('/model'))
  if (model === undefined) return undefined
  const stream = wire === 'ollama' ? find('/stream') !== 'false' : find('/stream') === 'true'
  const client = { includeUsage: find('/stream_options/include_usage') === 'true' }
  return { exchange: { wire, model, stream, client }, sparse }
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
