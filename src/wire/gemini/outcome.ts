// Usage and end of a whole answer, for those who forward it. A long answer is read without most of its parts: its end depends only on
// whether there is a call, and whether anything can be read.
import type { CompletionEvent } from '../../conversation/events.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { decode } from './response-decode.js'
import { listOf, objectOf } from './types.js'

const longBody = 65_536

export function outcome(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  const body = http.status < 400 && http.body.length > longBody ? shortenBody(http.body) : undefined
  return decode(body === undefined ? http : { ...http, body }, exchange, env)
}

/** Nothing for what has to be read as it is. */
function shortenBody(text: string): string | undefined {
  try {
    const body = parseBody(text)
    if (!isJsonObject(body) || !Array.isArray(body.candidates)) return undefined
    return writeJson({ ...body, candidates: body.candidates.map(withFewParts) })
  } catch {
    return undefined // the decoder says what is wrong
  }
}

/** The first call and the first text stand for all of them. Other parts stay where there is neither. */
function withFewParts(candidate: Json): Json {
  if (!isJsonObject(candidate) || !isJsonObject(candidate.content)) return candidate
  const parts = listOf(candidate.content.parts)
  const found = [parts.find(isCall), parts.find(isText)].filter((part) => part !== undefined)
  return found.length === 0 ? candidate : { ...candidate, content: { ...candidate.content, parts: found } }
}

function isCall(part: Json): part is JsonObject {
  return isJsonObject(part) && objectOf(part.functionCall ?? part.function_call) !== undefined
}

function isText(part: Json): part is JsonObject {
  return isJsonObject(part) && typeof part.text === 'string' && part.text !== ''
}
