// What a client sent, before any wire reads it: a JSON object, or the client's mistake.
import { ToolwireError } from '../errors/error.js'
import { bodyText } from '../frames/body.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { HttpRequest } from './codec.js'
import { parseRequest } from './remembered-tools.js'

/** The body and its text (raw spans are cut from it). Anything but a JSON object is an `invalid_request`. */
export function requestBody(http: HttpRequest): { readonly text: string; readonly body: JsonObject } {
  const text = bodyText(http.body)
  let body: Json
  try {
    body = parseRequest(text)
  } catch (error) {
    const reason = error instanceof ToolwireError ? error.message : 'it cannot be read'
    throw new ToolwireError('invalid_request', `the request body is refused: ${reason}`, { cause: error })
  }
  if (!isJsonObject(body)) throw invalidAt('', 'a JSON object')
  return { text, body }
}

/** A member of the wrong type, by its place in the body. */
export function invalidAt(path: string, wanted: string): ToolwireError {
  const where = path === '' ? 'the request body' : path
  return new ToolwireError('invalid_request', `${where} must be ${wanted}`, { detail: { path } })
}
