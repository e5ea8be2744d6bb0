// Calls written as expressions: `get_weather(city='Paris')`, alone, one after the other, or in a list; and Gemma's
// `call:get_weather{city:…}`.
import { skipSpace } from '../../json/scan.js'
import { membersAt } from './literals.js'
import { type Block, type DeclaredTools, matchAt, type TextCall } from './text-call.js'

const callee = /([A-Za-z_][\w.-]*)\s*\(/y
const gemmaCallee = /call:\s*([A-Za-z_][\w.-]*)\s*\{/y

/** `[f(a=1), g()]`, from its bracket. */
export function expressionList(text: string, from: number, tools: DeclaredTools): Block | undefined {
  if (text[from] !== '[') return undefined
  const found = expressions(text, from + 1, tools)
  if (found === undefined) return undefined
  const close = skipSpace(text, found.end)
  return text[close] === ']' ? { ...found, end: close + 1 } : undefined
}

/** At least one expression, with commas or lines between them. */
export function expressions(text: string, from: number, tools: DeclaredTools): Block | undefined {
  const calls: TextCall[] = []
  let end = from
  for (;;) {
    const index = skipSpace(text, end)
    const found = expressionAt(
      text,
      text[index] === ',' && calls.length > 0 ? skipSpace(text, index + 1) : index,
      tools,
    )
    if (found === undefined) return calls.length === 0 ? undefined : { calls, end }
    for (const call of found.calls) calls.push(call)
    end = found.end
  }
}

/** One expression; Llama writes `.call` behind the name. */
function expressionAt(text: string, from: number, tools: DeclaredTools): Block | undefined {
  const opened = matchAt(callee, text, from)
  const written = opened?.[1] ?? ''
  const name = tools.has(written) ? written : written.replace(/\.call$/, '')
  if (opened === undefined || !tools.has(name)) return undefined
  const members = membersAt(text, from + opened[0].length, { separator: '=', close: ')' })
  return members === undefined ? undefined : { calls: [{ name, arguments: members.json }], end: members.end }
}

export function gemmaCall(text: string, from: number, tools: DeclaredTools): Block | undefined {
  const opened = matchAt(gemmaCallee, text, from)
  const name = opened?.[1] ?? ''
  if (opened === undefined || !tools.has(name)) return undefined
  const members = membersAt(text, from + opened[0].length, { separator: ':', close: '}' })
  return members === undefined ? undefined : { calls: [{ name, arguments: members.json }], end: members.end }
}
