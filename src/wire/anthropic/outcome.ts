// An answer without its blocks, for who asks only how it ended and what it used: blocks are most of an answer, and to parse them
// costs more than all else a gateway does with one. The trap: what is told must be what the whole answer tells.
import type { CompletionEvent } from '../../conversation/events.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { valueEnd } from '../../json/scan.js'
import type { JsonObject } from '../../json/types.js'
import type { Env, Exchange, HttpResponse } from '../codec.js'
import { decode, finishEvent } from './response.js'
import { usageEvent } from './usage.js'

export function outcome(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[] {
  const frame = http.status < 400 ? frameOf(http.body) : undefined
  if (frame === undefined) return decode(http, exchange, env)
  const usage = usageEvent(frame.members.usage)
  const finish = finishEvent(frame.members.stop_reason, frame.hasCalls, undefined)
  return usage === undefined ? [finish] : [usage, finish]
}

interface Frame {
  /** Of the answer, but for its blocks. */
  readonly members: JsonObject
  readonly hasCalls: boolean
}

const content = '"content":['
const afterContent = '],"stop_reason":'
const call = '{"type":"tool_use",'
const mark = 'blocks'

/** Of valid JSON. Nothing where it is not written the way the provider writes it: such an answer is read whole. */
function frameOf(text: string): Frame | undefined {
  const at = text.indexOf(content)
  const start = at + content.length
  const end = text.lastIndexOf(afterContent)
  if (at < 0 || end < start || text.includes('"content"', start)) return undefined
  const hasCalls = holdsCall(text, start, end)
  if (hasCalls === undefined) return undefined
  try {
    const members = parseBody(`${text.slice(0, at)}"content":"${mark}"${text.slice(end + 1)}`)
    if (!isJsonObject(members) || members.content !== mark || members.type === 'error') return undefined
    if (typeof members.stop_reason !== 'string') return undefined
    return { members, hasCalls }
  } catch {
    return undefined // the two ends were not those of one list
  }
}

/** Whether a call is among the blocks from `start` on, where that is certain. */
function holdsCall(text: string, start: number, end: number): boolean | undefined {
  if (!text.includes('"tool_use"', start)) return false
  for (let block = start; block < end; block = valueEnd(text, block) + 1) {
    if (text.startsWith(call, block)) return true
  }
  return undefined
}
