// Defects of real Chat Completions servers, as changes to a stream that was right: each is one small function of the calls.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

/** Something that real Chat Completions servers were seen doing wrong. */
export type ChatDefect =
  | 'index_zero'
  | 'index_absent'
  | 'id_absent'
  | 'id_empty'
  | 'id_repeated'
  | 'head_repeated'
  | 'head_empty'
  | 'arguments_empty'
  | 'arguments_object'
  | 'arguments_again'
  | 'arguments_cut'
  | 'fragments'
  | 'interleaved'
  | 'one_chunk'
  | 'text_with_call'
  | 'call_in_text'
  | 'finish_stop'
  | 'finish_length'
  | 'no_finish'
  | 'no_done'

/** A call or a fragment of one, as a chunk carries it. */
interface Fragment {
  readonly index?: number
  readonly id?: string
  readonly type?: string
  readonly function: { readonly name?: string; readonly arguments?: Json }
}
interface ChatStream {
  /** The chunks before the calls: the role and the text. */
  readonly lead: readonly JsonObject[]
  /** The fragments of each chunk. */
  readonly calls: readonly (readonly Fragment[])[]
  /** The finish and the usage. */
  readonly tail: readonly JsonObject[]
  readonly isDone: boolean
}
type Change = (stream: ChatStream) => ChatStream

const eachFragment =
  (change: (fragment: Fragment, heads: ReadonlyMap<number, Fragment>) => Fragment): Change =>
  (stream) => {
    const heads = headsOf(stream)
    return { ...stream, calls: stream.calls.map((list) => list.map((fragment) => change(fragment, heads))) }
  }

const changes: Readonly<Record<ChatDefect, Change>> = {
  /** Every call says that it is the first. */
  index_zero: eachFragment((fragment) => ({ ...fragment, index: 0 })),
  index_absent: eachFragment(({ index: _, ...rest }) => rest),
  id_absent: eachFragment(({ id: _, ...rest }) => rest),
  id_empty: eachFragment((fragment) => (fragment.id === undefined ? fragment : { ...fragment, id: '' })),
  /** Every call has the id of the first. */
  id_repeated: eachFragment((fragment, heads) => withId(fragment, heads.get(0)?.id)),
  /** The id and the name stand on every fragment. */
  head_repeated: eachFragment((fragment, heads) => {
    const head = heads.get(fragment.index ?? 0)
    return { ...fragment, ...head, function: { ...head?.function, ...fragment.function } }
  }),
  /** Fragments that go on carry an empty id and an empty name. */
  head_empty: eachFragment((fragment) =>
    fragment.id === undefined ? { ...fragment, id: '', function: { name: '', ...fragment.function } } : fragment,
  ),
  arguments_empty: eachFragment((fragment) => withArguments(fragment, '')),
  /** Each call whole, its arguments an object instead of text. */
  arguments_object: (stream) => ({
    ...stream,
    calls: wholeCalls(stream).map((call) => [withArguments(call, JSON.parse(textOf(call)) as Json)]),
  }),
  /** After the last fragment of each call its arguments come once more, whole. */
  arguments_again: (stream) => ({
    ...stream,
    calls: [...stream.calls, ...wholeCalls(stream).map((call) => [fragmentOf(call, textOf(call))])],
  }),
  /** The arguments of the last call break off in the middle. */
  arguments_cut: (stream) => {
    const calls = wholeCalls(stream)
    return {
      ...stream,
      calls: calls.map((call, index) => {
        const text = textOf(call)
        return [index < calls.length - 1 ? call : withArguments(call, text.slice(0, Math.ceil(text.length / 2)))]
      }),
    }
  },
  /** A character a fragment. */
  fragments: (stream) => ({
    ...stream,
    calls: wholeCalls(stream).flatMap((call) => [
      [withArguments(call, '')],
      ...Array.from(textOf(call), (character) => [fragmentOf(call, character)]),
    ]),
  }),
  /** Fragments of all calls in turn. */
  interleaved: (stream) => ({ ...stream, calls: stream.calls.toSorted(byTurn(stream.calls)) }),
  /** All calls whole, in one chunk. */
  one_chunk: (stream) => ({ ...stream, calls: [wholeCalls(stream)] }),
  /** The last text and the first call share a delta. */
  text_with_call: (stream) => {
    const [first = [], ...others] = stream.calls
    const lead = stream.lead.slice(0, -1)
    const shared = stream.lead
      .slice(-1)
      .map((chunk) => withDelta(chunk, { ...deltaOf(chunk), tool_calls: jsonOf(first) }))
    return { ...stream, lead: [...lead, ...shared], calls: others }
  },
  /** The calls are written into the text, as a model does whose server does not parse them. */
  call_in_text: (stream) => {
    const told = wholeCalls(stream).map((call) => {
      const leaked = `{"name":${JSON.stringify(call.function.name)},"arguments":${textOf(call)}}`
      return withDelta(stream.lead[0] ?? {}, { content: `<tool_call>\n${leaked}\n</tool_call>` })
    })
    return { ...finishing('stop')(stream), lead: [...stream.lead, ...told], calls: [] }
  },
  finish_stop: (stream) => finishing('stop')(stream),
  finish_length: (stream) => finishing('length')(stream),
  /** No chunk says why the answer ended. */
  no_finish: (stream) => ({ ...stream, tail: stream.tail.filter((chunk) => finishOf(chunk) === undefined) }),
  /** The closing marker does not come. */
  no_done: (stream) => ({ ...stream, isDone: false }),
}

/** The events of a stream with these defects, in the order they are named. */
export function withDefects(frames: Iterable<string>, defects: ChatDefect | readonly ChatDefect[]): Iterable<string> {
  const list = typeof defects === 'string' ? [defects] : defects
  return list.length === 0 ? frames : written(list.reduce((stream, name) => changes[name](stream), read(frames)))
}

function read(frames: Iterable<string>): ChatStream {
  const payloads = [...frames].map((frame) => frame.replace(/^data: /, '').trim())
  const chunks = payloads.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as JsonObject)
  const callsOf = (chunk: JsonObject): Json | undefined => deltaOf(chunk).tool_calls
  const end = chunks.findIndex((chunk) => finishOf(chunk) !== undefined)
  const body = end < 0 ? chunks : chunks.slice(0, end)
  return {
    lead: body.filter((chunk) => callsOf(chunk) === undefined),
    calls: body.flatMap((chunk) => {
      const list = callsOf(chunk)
      return list === undefined ? [] : [list as readonly unknown[] as readonly Fragment[]]
    }),
    tail: end < 0 ? [] : chunks.slice(end),
    isDone: payloads.includes('[DONE]'),
  }
}

function written({ lead, calls, tail, isDone }: ChatStream): readonly string[] {
  const [template = {}] = [...lead, ...tail]
  const called = calls.map((list) => withDelta(template, { tool_calls: jsonOf(list) }))
  const frames = [...lead, ...called, ...tail].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  return isDone ? [...frames, 'data: [DONE]\n\n'] : frames
}

function choiceOf(chunk: JsonObject): JsonObject {
  const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as readonly Json[]) : []
  return isJsonObject(choice) ? choice : {}
}

function deltaOf(chunk: JsonObject): JsonObject {
  const { delta } = choiceOf(chunk)
  return isJsonObject(delta) ? delta : {}
}

function finishOf(chunk: JsonObject): string | undefined {
  const { finish_reason: reason } = choiceOf(chunk)
  return typeof reason === 'string' ? reason : undefined
}

function withDelta(chunk: JsonObject, delta: JsonObject): JsonObject {
  return { ...chunk, choices: [{ index: 0, logprobs: null, finish_reason: null, delta }] }
}

function finishing(reason: string): Change {
  return (stream) => ({
    ...stream,
    tail: stream.tail.map((chunk) =>
      finishOf(chunk) === undefined ? chunk : { ...chunk, choices: [{ ...choiceOf(chunk), finish_reason: reason }] },
    ),
  })
}

/** The fragment that opened each call. */
function headsOf({ calls }: ChatStream): ReadonlyMap<number, Fragment> {
  return new Map(calls.flat().flatMap((one) => (one.id === undefined ? [] : [[one.index ?? 0, one] as const])))
}

/** Each call with all of its arguments. */
function wholeCalls(stream: ChatStream): readonly Fragment[] {
  return [...headsOf(stream)].map(([index, head]) => {
    const own = stream.calls.flat().filter((one) => (one.index ?? 0) === index)
    return withArguments(head, own.map(textOf).join(''))
  })
}

function textOf({ function: { arguments: text } }: Fragment): string {
  return typeof text === 'string' ? text : ''
}

function withArguments(fragment: Fragment, value: Json): Fragment {
  return { ...fragment, function: { ...fragment.function, arguments: value } }
}

function withId(fragment: Fragment, id: string | undefined): Fragment {
  return fragment.id === undefined || id === undefined ? fragment : { ...fragment, id }
}

function fragmentOf({ index = 0 }: Fragment, text: string): Fragment {
  return { index, function: { arguments: text } }
}

function jsonOf(fragments: readonly Fragment[]): Json {
  return fragments as readonly unknown[] as Json
}

/** The first fragments of all calls, then the second ones, and so on. */
function byTurn(calls: ChatStream['calls']): (a: readonly Fragment[], b: readonly Fragment[]) => number {
  const seen = new Map<number, number>()
  const turns = new Map<readonly Fragment[], number>()
  for (const list of calls) {
    const index = list[0]?.index ?? 0
    const turn = seen.get(index) ?? 0
    seen.set(index, turn + 1)
    turns.set(list, turn)
  }
  return (a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0)
}
