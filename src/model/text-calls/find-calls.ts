// Calls that a model wrote into its text instead of making them, in the formats of local models. Nothing is promoted that was
// thought, quoted or shown as code; nothing when a call is not whole, or names a tool that was not declared: then all of it is text.
import { expressionList, expressions, gemmaCall } from './expression-calls.js'
import { jsonCalls, namedJsonCall } from './json-calls.js'
import { Surroundings } from './surroundings.js'
import { opensTags, taggedCall } from './tagged-calls.js'
import { type Block, type DeclaredTools, matchAt, type TextCall } from './text-call.js'

export interface FoundCalls {
  readonly calls: readonly TextCall[]
  /** The text without them. */
  readonly text: string
}

type Reader = (text: string, from: number, tools: DeclaredTools, opened: RegExpExecArray) => Block | undefined
interface Format {
  readonly opens: RegExp
  readonly read: Reader
}

const named: Reader = (text, from, tools, opened) => {
  const block = namedJsonCall(text, from, opened.groups?.name ?? '', tools)
  const fence = block !== undefined && opened[0].includes('```') ? matchAt(/\s*```/y, text, block.end) : undefined
  return block === undefined || fence === undefined ? block : { ...block, end: block.end + fence[0].length }
}

/** Signs that open calls. What follows one of them is a call or nothing is. */
const formats: readonly Format[] = [
  {
    opens:
      /(?:<tool_calls?>|<TOOLCALL>|<function_call>|<\|function_call\|>|<\|tool_call\|>|<longcat_tool_call>|\[TOOL_CALLS\]|<\|START_ACTION\|>|<\|action_start\|>\s*<\|plugin\|>|<\|message_sep\|>\s*function call<\|role_sep\|>|<\|tools_prefix\|>|functools)\s*(?=[[{])/y,
    read: jsonCalls,
  },
  { opens: /\[TOOL_CALLS\]\s*(?<name>[\w.-]+)\s*(?:\[CALL_ID\][^[\]]*)?\[ARGS\]\s*(?=\{)/y, read: named },
  {
    opens:
      /(?:<｜tool▁calls?▁begin｜>|<｜tool▁calls｜>)(?:function<｜tool▁sep｜>)?(?<name>[\w.-]+)(?:<｜tool▁sep｜>|\s*```json)\s*(?=\{)/y,
    read: named,
  },
  {
    opens:
      /<\|tool_call_begin\|>\s*(?:functions\.)?(?<name>[\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{)/y,
    read: named,
  },
  {
    opens:
      /(?:<\|start\|>assistant)?(?:<\|channel\|>\w+)?\s?to=functions\.(?<name>[\w.-]+)(?:<\|channel\|>\w+)?(?:\s*<\|constrain\|>\w+)?\s*<\|message\|>\s*(?=\{)/y,
    read: named,
  },
  { opens: />>>(?<name>[\w.-]+)[ \t]*\n\s*(?=\{)/y, read: named },
  { opens: /(?:<\|tool_call_start\|>|<\|python_start\|>)\s*(?=\[)/y, read: expressionList },
  { opens: /(?:<function_calls>|<\|python_tag\|>)\s*(?=[A-Za-z_])/y, read: expressions },
  { opens: /(?:<\|tool_call>|<start_function_call>)\s*(?=call:)/y, read: gemmaCall },
]

/** More signs than an honest answer has are an attack, and are left as text. */
const maxOpeners = 512
/** Where a format may open. */
const suspects = /<|\[TOOL_CALLS\]|functools\[|>>>|\sto=functions\./g
/** Signs around calls that mean nothing without them. */
const wrappers =
  /<\/?(?:tool_calls?|TOOLCALL|function_calls?|longcat_tool_call|[\w-]+:tool_call|[\w]*_?function_calls?|｜DSML｜(?:function_calls|tool_calls))>|<\|(?:tool_calls_section_(?:begin|end)|tool_call_end|END_ACTION|action_end|tools_suffix|python_end|call)\|>|<｜tool[▁_](?:calls?[▁_](?:begin|end)|calls|sep)｜>|<tool_call\|>|<end_function_call>|<\|(?:open|close)\|>(?:tools|message)<\|sep\|>/g
/** Signs that begin a call. One that is left over began a call that cannot be read. */
const danglingSign =
  /<(?:tool_call|TOOLCALL|function_call|longcat_tool_call|[\w-]+:tool_call)>|<\|(?:function_call|tool_call|tool_call_begin|tool_call_argument_begin|START_ACTION|tool_call_start|python_start)\|>|<\|tool_call>|<start_function_call>|\[TOOL_CALLS\]|<｜tool[▁_]call[▁_]begin｜>|<function=|invoke name=/
const thoughtEnds = [
  '</think>',
  '</mm:think>',
  '<|END_THINKING|>',
  '<|inner_suffix|>',
  '[BEGIN FINAL RESPONSE]',
  '</seed:think>',
] as const
const thoughtBegins = ['<think>', '<mm:think>', '<|START_THINKING|>', '<|inner_prefix|>', '<seed:think>'] as const

/** The calls in a text, and what is left of it; nothing when there are none. `bare`: a text that is nothing but a call counts. */
export function findCalls(
  text: string,
  tools: DeclaredTools,
  { bare }: { readonly bare: boolean },
): FoundCalls | undefined {
  const start = behindThoughts(text)
  if (start === undefined || tools.size === 0) return undefined
  const whole = bare ? wholeText(text.slice(start), tools) : undefined
  if (whole !== undefined) return { calls: withoutRepeats(whole), text: text.slice(0, start) }
  const blocks = blocksIn(text, start, tools)
  if (blocks === undefined || blocks.length === 0) return undefined
  let left = text.slice(0, start)
  let at = start
  for (const { from, block } of blocks) {
    left += text.slice(at, from).replace(wrappers, '')
    at = block.end
  }
  left += text.slice(at).replace(wrappers, '')
  return { calls: withoutRepeats(blocks.flatMap(({ block }) => block.calls)), text: left.trim() === '' ? '' : left }
}

/** Every call behind `start`, in order; nothing when one of them is quoted, cannot be read, or names no declared tool. */
function blocksIn(
  text: string,
  start: number,
  tools: DeclaredTools,
): readonly { readonly from: number; readonly block: Block }[] | undefined {
  const blocks: { readonly from: number; readonly block: Block }[] = []
  const before = new Surroundings()
  let at = start
  let search = start
  for (let tried = 0; tried < maxOpeners; ) {
    suspects.lastIndex = search
    const from = suspects.exec(text)?.index
    if (from === undefined) return danglingSign.test(text.slice(at)) ? undefined : blocks
    const opened = openedAt(text, from)
    search = from + 1
    if (opened === undefined) continue
    tried += 1
    const between = text.slice(at, from)
    before.add(between)
    if (before.isQuoting() || danglingSign.test(withoutLastWrappers(between))) return undefined
    const block = opened(tools)
    if (block === undefined) return undefined
    blocks.push({ from, block })
    at = block.end
    search = at
  }
  return undefined
}

/** The text without the signs at its end that only wrap the call behind it. One pass, whatever the text is. */
function withoutLastWrappers(text: string): string {
  let end = text.length
  let from = 0
  for (const { index, 0: sign } of text.matchAll(wrappers)) {
    if (from === 0 || text.slice(from, index).trim() !== '') end = index
    from = index + sign.length
  }
  return text.slice(from).trim() === '' ? text.slice(0, end) : text
}

function openedAt(text: string, index: number): ((tools: DeclaredTools) => Block | undefined) | undefined {
  if (opensTags(text, index)) return (tools) => taggedCall(text, index, tools)
  for (const { opens, read } of formats) {
    const opened = matchAt(opens, text, index)
    if (opened !== undefined) return (tools) => read(text, index + opened[0].length, tools, opened)
  }
  return undefined
}

/** An answer that is a call and nothing else, in a fence, in a tag, or bare. */
function wholeText(text: string, tools: DeclaredTools): readonly TextCall[] | undefined {
  const trimmed = text.trim()
  const fenced = /^```(?:json|tool_call)?[ \t]*\n([^`]*)```$/.exec(trimmed)?.[1]
  const inner = fenced ?? /^<(tool|json|xml|response)>([^<]*)<\/\1>$/.exec(trimmed)?.[2] ?? trimmed
  const body = inner.trim()
  const listed = /^\{\s*"tool_calls"\s*:\s*(?=\[)/.exec(body)?.[0].length ?? 0
  const heading = /^([\w.-]+)[ \t]*\n\s*(?=\{)/.exec(body)
  const block =
    heading === null
      ? (jsonCalls(body, listed, tools) ?? expressionList(body, 0, tools))
      : namedJsonCall(body, heading[0].length, heading[1] ?? '', tools)
  const rest = block === undefined ? undefined : body.slice(block.end).trim()
  return rest === (listed > 0 ? '}' : '') ? block?.calls : undefined
}

/** Where the answer begins behind what the model thought; nothing when it still thinks at the end. */
function behindThoughts(text: string): number | undefined {
  const ends = thoughtEnds.map((sign) => text.lastIndexOf(sign) + (text.includes(sign) ? sign.length : 1))
  const start = Math.max(0, ...ends)
  return thoughtBegins.some((sign) => text.includes(sign, start)) ? undefined : start
}

/** A model that writes the same call twice means it once. */
function withoutRepeats(calls: readonly TextCall[]): readonly TextCall[] {
  const seen = new Set<string>()
  return calls.filter(({ name, arguments: text }) => {
    const key = JSON.stringify([name, text])
    return seen.size < seen.add(key).size
  })
}

/**
 * How much of a text, shown up to `from`, can be shown now: all up to the first sign that may open a call, without the space
 * before it. `isOpen`: there is such a sign, and what follows must wait for the end.
 */
export function shownUntil(
  text: string,
  from: number,
  tools: DeclaredTools,
): { readonly shown: number; readonly isOpen: boolean } {
  const [first = ''] = from === 0 ? (/^\s*[\w.-]*/.exec(text) ?? []) : []
  const word = first.trim()
  // The first word may be the name of a tool, or grow into one.
  if (from === 0 && first.length === text.length) return { shown: 0, isOpen: false }
  if (from === 0 && (tools.has(word) || word === 'functools' || word === 'to')) return { shown: 0, isOpen: true }
  const fresh = text.slice(from)
  const sign = fresh.search(/[<[{`>]/)
  const plain = sign === -1 ? fresh : fresh.slice(0, sign)
  return { shown: from + plain.trimEnd().length, isOpen: sign !== -1 }
}
