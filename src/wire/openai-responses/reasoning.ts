// Reasoning items, both ways. The text of the part is the raw reasoning where the item shows it, else its summary; everything
// else of the item is the continuation. The trap: the text is never stored twice. How it was cut into sections is kept as
// lengths, so an edited text is sent as edited, in one section.
import type { Origin, ReasoningPart } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { isMadeId, wire } from './types.js'

/** What stands between two sections in the text of the part. */
export const sectionBreak = '\n\n'

const sectionTypes = { summary: 'summary_text', content: 'reasoning_text' } as const
type Source = keyof typeof sectionTypes

/** The part of an item. `shown` is the list whose text was streamed, which is then the text of the part. */
export function decodeReasoning(item: JsonObject, origin: Origin, shown?: Source): ReasoningPart {
  const content = sectionsOf(item.content, 'content')
  const summary = sectionsOf(item.summary, 'summary')
  const hasContent = content !== undefined && content.length > 0
  const hasSummary = summary !== undefined && summary.length > 0
  const source: Source = hasContent && !(shown === 'summary' && hasSummary) ? 'content' : 'summary'
  const sections = (source === 'content' ? content : summary) ?? []
  const text = summary === undefined && sections.length === 0 ? shownText(item.summary) : sections.join(sectionBreak)
  const kept: [string, Json][] = []
  for (const [key, value] of Object.entries(item)) {
    if (key === 'type' || key === 'created_by' || value === null || (key === 'id' && isMadeId(value))) continue
    if (key === source && sections.length > 0) {
      if (source === 'content' || hasContent || sections.length > 1 || text === '')
        kept.push([key, sections.map((s) => s.length)])
    } else if (!((key === 'summary' || key === 'content') && Array.isArray(value) && value.length === 0)) {
      kept.push([key, value])
    }
  }
  const part: ReasoningPart = { type: 'reasoning', text }
  return kept.length === 0 && isMadeId(item.id) ? part : { ...part, opaque: { origin, data: Object.fromEntries(kept) } }
}

/** The texts of a list of sections that hold nothing but text. */
function sectionsOf(list: Json | undefined, source: Source): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined
  const texts: string[] = []
  for (const section of list) {
    if (!isJsonObject(section) || section.type !== sectionTypes[source] || typeof section.text !== 'string')
      return undefined
    if (Object.keys(section).length > 2) return undefined
    texts.push(section.text)
  }
  return texts
}

/** What can be shown of sections that hold more than text. They are kept whole. */
function shownText(list: Json | undefined): string {
  if (!Array.isArray(list)) return ''
  const texts = list.map((section: Json) => (isJsonObject(section) ? section.text : undefined))
  return texts.filter((text) => typeof text === 'string').join(sectionBreak)
}

/** The item of a reasoning part; `id` is written when the continuation has none. */
export function encodeReasoning(part: ReasoningPart, id?: string): JsonObject {
  const data = part.opaque?.origin.wire === wire ? part.opaque.data : {}
  const { type: _, id: own, summary, content, ...rest } = data
  const chosen = own === undefined || own === null || own === '' ? id : own
  const raw = isLengths(content) ? cut(part.text, content, 'content') : content
  const shown = summaryOf(summary, part.text, isLengths(content) || (Array.isArray(content) && content.length > 0))
  return {
    type: 'reasoning',
    ...(chosen === undefined ? {} : { id: chosen }),
    summary: shown,
    ...(raw === undefined ? {} : { content: raw }),
    ...rest,
  }
}

function summaryOf(summary: Json | undefined, text: string, hasContent: boolean): Json {
  if (isLengths(summary)) return cut(text, summary, 'summary')
  if (Array.isArray(summary)) return summary
  return hasContent || text === '' ? [] : cut(text, [text.length], 'summary')
}

function isLengths(value: Json | undefined): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
}

/** The text in sections of these lengths; in one section when they do not fit it any more. */
function cut(text: string, lengths: readonly number[], source: Source): Json {
  const type = sectionTypes[source]
  const sections: JsonObject[] = []
  let start = 0
  for (const length of lengths) {
    sections.push({ type, text: text.slice(start, start + length) })
    start += length + sectionBreak.length
  }
  const whole = sections.map((section) => section.text).join(sectionBreak)
  return whole === text ? sections : [{ type, text }]
}
