// Events as output items, for the server half: one writer for streamed and whole answers. Events may come in any order and
// interleaved; every item is announced when its first event comes, and its index never changes after that.
// The trap: official clients fail on a delta for an item that was not announced, on an empty item id, and on any event type
// they do not know.
import type { CompletionEvent } from '../../conversation/events.js'
import type { AnyCall, Extra, Opaque, TextPart } from '../../conversation/messages.js'
import type { JsonObject } from '../../json/types.js'
import { customInput, inputArguments, isCustomCall } from '../arguments.js'
import { noteOf } from '../extra.js'
import { encodeCall, encodeText, isOpaqueItem, isReadableItem, itemFields, joinsItem } from './items.js'
import { encodeReasoning } from './reasoning.js'
import { identityFields, madeItemId, ownOf, wire } from './types.js'

export type Send = (type: string, fields: JsonObject) => void

export interface OutputWriter {
  event(event: CompletionEvent): void
  /** Ends every open item and gives all of them, in the order of their indexes. `isCut`: the last of them did not come to its end. */
  finish(isCut: boolean): readonly JsonObject[]
  /** Whether a refusal was written. */
  isRefused(): boolean
}

interface Carried {
  opaque?: Opaque
  extra?: Extra
}
/** A text or reasoning part that grows. `held` is half of a surrogate pair whose other half has not come yet. */
interface OpenPart extends Carried {
  readonly part: number
  readonly item: OpenItem
  readonly index: number
  text: string
  held: string
}
interface OpenItem {
  readonly kind: 'message' | 'reasoning' | 'function_call' | 'opaque'
  readonly index: number
  readonly id: string
  readonly parts: OpenPart[]
  /** Of a call: the arguments sent so far, and half of a pair that waits. */
  sent: string
  held: string
  final: JsonObject | undefined
}

export function createOutputWriter(responseId: string, send: Send): OutputWriter {
  const items: OpenItem[] = []
  const parts = new Map<number, OpenPart>()
  const calls = new Map<number, OpenItem>()
  /** What was attached to parts that have no text yet. */
  const waiting = new Map<number, Carried>()
  const waitingTexts = new Set<number>()
  let refused = false

  const open = (kind: OpenItem['kind'], id: string, announced: JsonObject): OpenItem => {
    const item: OpenItem = { kind, index: items.length, id, parts: [], sent: '', held: '', final: undefined }
    items.push(item)
    send('response.output_item.added', { output_index: item.index, item: announced })
    return item
  }
  const done = (item: OpenItem, final: JsonObject): void => {
    item.final = final
    send('response.output_item.done', { output_index: item.index, item: final })
  }
  const idFor = (kind: 'msg' | 'fc' | 'ctc' | 'rs', opaque: Opaque | undefined): string => {
    const { id } = identityFields(opaque)
    return typeof id === 'string' ? id : madeItemId(kind, responseId, items.length)
  }

  const openText = (part: number): OpenPart => {
    const carried = waiting.get(part) ?? {}
    waiting.delete(part)
    waitingTexts.delete(part)
    const last = items.at(-1)
    const joins = last?.kind === 'message' && (last.parts.at(-1)?.part ?? part) < part && joinsItem(carried)
    const item = joins ? last : openMessage(carried)
    const opened: OpenPart = { part, item, index: item.parts.length, text: '', held: '', ...carried }
    item.parts.push(opened)
    parts.set(part, opened)
    if (isRefusal(carried)) refused = true
    const place = { item_id: item.id, output_index: item.index, content_index: opened.index }
    send('response.content_part.added', { ...place, part: contentOf(opened) })
    return opened
  }
  const openMessage = (carried: Carried): OpenItem => {
    const id = idFor('msg', carried.opaque)
    const fields = itemFields(carried)
    const announced = { id, type: 'message', status: 'in_progress', role: 'assistant', ...fields, content: [] }
    return open('message', id, announced)
  }
  const openReasoning = (part: number): OpenPart => {
    const carried = waiting.get(part) ?? {}
    waiting.delete(part)
    const id = idFor('rs', carried.opaque)
    const item = open('reasoning', id, { id, type: 'reasoning', summary: [] })
    const opened: OpenPart = { part, item, index: 0, text: '', held: '', ...carried }
    item.parts.push(opened)
    parts.set(part, opened)
    return opened
  }

  const grow = (opened: OpenPart, text: string): void => {
    const whole = opened.held + text
    opened.held = endsInHalf(whole) ? whole.slice(-1) : ''
    const delta = opened.held === '' ? whole : whole.slice(0, -1)
    if (delta !== '') sendText(opened, delta, send)
  }
  const flush = (opened: OpenPart): void => {
    if (opened.held === '') return
    sendText(opened, opened.held, send)
    opened.held = ''
  }

  const openCall = (part: number, call: AnyCall): OpenItem => {
    const id = idFor(isCustomCall(wire, call) ? 'ctc' : 'fc', call.opaque)
    const status = isCustomCall(wire, call) ? {} : { status: 'in_progress' }
    const empty = isCustomCall(wire, call) && call.type === 'tool_call' ? inputArguments('') : ''
    const item = open('function_call', id, { ...encodeCall({ ...call, arguments: empty }), id, ...status })
    calls.set(part, item)
    return item
  }
  const sendArguments = (item: OpenItem, delta: string, event = 'function_call_arguments'): void => {
    item.sent += delta
    send(`response.${event}.delta`, { item_id: item.id, output_index: item.index, delta })
  }
  const callDelta = (event: Extract<CompletionEvent, { type: 'tool_call_delta' }>): void => {
    const { part, id, name, text, opaque } = event
    const known = calls.get(part)
    if (known === undefined && name === '') return // announced once the name is known
    const carried = opaque === undefined ? {} : { opaque }
    const item = known ?? openCall(part, { type: 'tool_call', id, name, arguments: '', ...carried })
    const whole = item.held + text
    item.held = endsInHalf(whole) ? whole.slice(-1) : ''
    const delta = item.held === '' ? whole : whole.slice(0, -1)
    if (delta !== '') sendArguments(item, delta)
  }
  const finishCall = (part: number, call: AnyCall): void => {
    const item = calls.get(part) ?? openCall(part, call)
    if (item.final !== undefined) return
    const { name } = call
    const input = customInput(wire, call)
    const custom = input !== undefined
    const text = input ?? call.arguments
    const event = custom ? 'custom_tool_call_input' : 'function_call_arguments'
    if (text.startsWith(item.sent) && text.length > item.sent.length) {
      sendArguments(item, text.slice(item.sent.length), event)
    }
    const place = { item_id: item.id, output_index: item.index }
    send(`response.${event}.done`, { ...place, ...(custom ? { input: text } : { name, arguments: text }) })
    done(item, { ...(custom ? {} : { status: 'completed' }), ...encodeCall(call), id: item.id })
  }

  const attach = (part: number, of: 'text' | 'reasoning', carried: Carried): void => {
    const known = parts.get(part)
    const target: Carried = known ?? waiting.get(part) ?? {}
    if (carried.opaque !== undefined) target.opaque = carried.opaque
    if (carried.extra !== undefined) target.extra = mergedExtra(target.extra, carried.extra)
    if (known !== undefined) return
    waiting.set(part, target)
    // A continuation without text is a part of its own; one of text opens when the answer ends if no text comes.
    if (of === 'text') waitingTexts.add(part)
    else if (isOwn(target.opaque)) openReasoning(part)
  }

  return {
    isRefused: () => refused,
    event(event) {
      switch (event.type) {
        case 'text_delta':
          grow(parts.get(event.part) ?? openText(event.part), event.text)
          break
        case 'reasoning_delta':
          // Reasoning that shows nothing is an item only when its continuation is ours.
          if (event.text !== '') grow(parts.get(event.part) ?? openReasoning(event.part), event.text)
          break
        case 'attach':
          attach(event.part, event.of, event)
          break
        case 'tool_call_delta':
          callDelta(event)
          break
        case 'tool_call':
        case 'broken_call':
          finishCall(event.part, event.call)
          break
        case 'opaque': {
          const { origin, data } = event.value
          if (origin.wire === wire && isReadableItem(data) && isOpaqueItem(data)) done(open('opaque', '', data), data)
          break
        }
      }
    },
    finish(isCut) {
      for (const part of [...waitingTexts].sort((a, b) => a - b)) openText(part)
      for (const item of items) {
        if (item.final !== undefined) continue
        for (const opened of item.parts) flush(opened)
        if (item.kind === 'message') done(item, closeMessage(item, isCut && item === items.at(-1), send))
        else if (item.kind === 'reasoning') done(item, closeReasoning(item, send))
      }
      return items.flatMap((item) => (item.final === undefined ? [] : [item.final]))
    },
  }
}

function isOwn(opaque: Opaque | undefined): boolean {
  return opaque?.origin.wire === wire
}

function isRefusal(carried: Carried): boolean {
  return noteOf(ownOf(carried), 'refusal') === true
}

/** Whether a text ends in the first half of a surrogate pair: the halves must be written together or both are lost. */
function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

function mergedExtra(before: Extra | undefined, more: Extra): Extra {
  const own = more[wire]
  return own === undefined ? (before ?? {}) : { [wire]: { ...before?.[wire], ...own } }
}

function sendText(opened: OpenPart, delta: string, send: Send): void {
  const { index: content_index } = opened
  const { kind, id: item_id, index: output_index } = opened.item
  // Written out, not spread: this is done for every delta.
  if (kind === 'reasoning') {
    if (opened.text === '') {
      const part = { type: 'summary_text', text: '' }
      send('response.reasoning_summary_part.added', { item_id, output_index, summary_index: 0, part })
    }
    send('response.reasoning_summary_text.delta', { item_id, output_index, summary_index: 0, delta })
  } else if (isRefusal(opened)) send('response.refusal.delta', { item_id, output_index, content_index, delta })
  else send('response.output_text.delta', { item_id, output_index, content_index, delta, logprobs: [] })
  opened.text += delta
}

function contentOf(opened: OpenPart): JsonObject {
  const { text, extra } = opened
  const part: TextPart = { type: 'text', text, ...(extra === undefined ? {} : { extra }) }
  const content = encodeText(part)
  return content.type === 'refusal' ? content : { logprobs: [], ...content }
}

function closeMessage(item: OpenItem, isCut: boolean, send: Send): JsonObject {
  const place = { item_id: item.id, output_index: item.index }
  const content = item.parts.map((opened) => {
    const part = contentOf(opened)
    const at = { ...place, content_index: opened.index }
    if (part.type === 'refusal') send('response.refusal.done', { ...at, refusal: opened.text })
    else send('response.output_text.done', { ...at, text: opened.text, logprobs: [] })
    send('response.content_part.done', { ...at, part })
    return part
  })
  const first: Carried = item.parts[0] ?? {}
  const { status = isCut ? 'incomplete' : 'completed' } = identityFields(first.opaque)
  return { id: item.id, type: 'message', status, role: 'assistant', ...itemFields(first), content }
}

function closeReasoning(item: OpenItem, send: Send): JsonObject {
  const [opened] = item.parts
  const text = opened?.text ?? ''
  const own = isOwn(opened?.opaque) ? opened?.opaque : undefined
  if (text !== '') {
    const at = { item_id: item.id, output_index: item.index, summary_index: 0 }
    send('response.reasoning_summary_text.done', { ...at, text })
    send('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } })
  }
  return encodeReasoning({ type: 'reasoning', text, ...(own === undefined ? {} : { opaque: own }) }, item.id)
}
