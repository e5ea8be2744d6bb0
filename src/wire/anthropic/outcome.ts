// An answer without its blocks, for who asks only how it ended and what it used: blocks are most of an answer, and to parse them
// costs more than all else a gateway does with one. The trap: what is told must be what the whole answer tells, or nothing.
import { isJsonObject, parseBody } from '../../json/parse.js'
import { valueEnd } from '../../json/scan.js'
import type { JsonObject } from '../../json/types.js'

export interface Outcome {
  /** The members around the blocks. */
  readonly body: JsonObject
  readonly hasCalls: boolean
}

const content = '"content":['
const afterContent = '],"stop_reason":'
const call = '{"type":"tool_use",'
const mark = '"blocks"'

/** Of a valid answer. Nothing where it is not written the way the provider writes it: such an answer is read whole. */
export function outcomeIn(text: string): Outcome | undefined {
  const at = text.indexOf(content)
  const start = at + content.length
  const end = text.lastIndexOf(afterContent)
  if (at < 0 || end < start || text.includes('"content"', start)) return undefined
  const hasCalls = holdsCall(text, start, end)
  if (hasCalls === undefined) return undefined
  try {
    const body = parseBody(`${text.slice(0, at)}"content":${mark}${text.slice(end + 1)}`)
    return isJsonObject(body) && body.content === 'blocks' && body.type !== 'error' ? { body, hasCalls } : undefined
  } catch {
    return undefined // the two ends were not those of one list
  }
}

/** Whether a call is among the blocks from `start` on. */
function holdsCall(text: string, start: number, end: number): boolean | undefined {
  if (!text.includes('"tool_use"', start)) return false
  for (let block = start; block < end; block = valueEnd(text, block) + 1) {
    if (text.startsWith(call, block)) return true
  }
  return undefined
}
