// Usage and end of a whole answer, for those who forward it. A long answer is read with one of its calls: its end depends only on
// whether there is one.
import type { CompletionEvent } from '../../conversation/events.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { isReadableItem } from './items.js'
import { decode } from './response.js'

const longBody = 65_536

export function outcome(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  const body = http.status < 400 && http.body.length > longBody ? withOneCall(http.body) : undefined
  return decode(body === undefined ? http : { ...http, body }, exchange, env)
}

/** Nothing for what has to be read as it is. */
function withOneCall(text: string): string | undefined {
  try {
    const body = parseBody(text)
    if (!isJsonObject(body) || !Array.isArray(body.output)) return undefined
    const output: readonly Json[] = body.output
    const first = output.find(isCall)
    return first === undefined
      ? undefined
      : writeJson({ ...body, output: output.filter((item) => item === first || !isCall(item)) })
  } catch {
    return undefined // the decoder says what is wrong
  }
}

function isCall(item: Json): boolean {
  return isReadableItem(item) && item.type === 'function_call'
}
