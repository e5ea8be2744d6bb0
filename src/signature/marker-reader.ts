// Fields below markers, while the answer is still on its way. Text is given on as soon as it cannot be part of a marker or of what
// is trimmed at the end: the deltas of a field add up to what `readFields` and `unprotect` give for the whole.
import type { FieldDelta, FieldReader } from './adapter.js'
import type { Field } from './field.js'
import { unprotectEnds, unprotectMarkers } from './markers.js'
import { isText } from './values.js'

const markerLine = /^[ \t]*\[\[[ \t]*##[ \t]*(\w+)[ \t]*##[ \t]*\]\]/
/** A line that may still become a marker, or a marker with backslashes before it. */
const undecided = /^[ \t]*\\*(?:\[(?:\[[ \t]*(?:#(?:#[ \t]*(?:\w+[ \t]*(?:#(?:#[ \t]*\]?)?)?)?)?)?)?)?$/

/** Deltas for the text fields among the given ones. */
export function markerReader(fields: readonly Field[]): FieldReader {
  const kinds = new Map(fields.map(({ name, type }) => [name, isText(type)]))
  const seen = new Set<string>()
  let current: { readonly field: string; readonly ends: EndFilter } | undefined
  /** The start of a line that may still become a marker; undefined while the rest of a line is only text. */
  let line: string | undefined = ''
  let done = false

  const close = (): readonly FieldDelta[] => (current === undefined ? [] : deltas(current.field, current.ends.end()))
  const add = (text: string): readonly FieldDelta[] =>
    current === undefined ? [] : deltas(current.field, current.ends.push(text))

  /** Begins the field of a marker, after the one before it has ended. */
  const begin = (name: string): readonly FieldDelta[] => {
    const ended = close()
    done = name === 'completed'
    current = done || seen.has(name) || kinds.get(name) !== true ? undefined : { field: name, ends: createEndFilter() }
    seen.add(name)
    return ended
  }

  /** Gives on what can be decided of a line that may be a marker. */
  const decide = (start: string, isWhole: boolean): readonly FieldDelta[] => {
    const [found = '', name = ''] = markerLine.exec(start) ?? []
    const isMarker = kinds.has(name) || name === 'completed'
    if (!isMarker && !isWhole && undecided.test(start)) {
      line = start
      return []
    }
    line = undefined
    return isMarker ? [...begin(name), ...add(start.slice(found.length))] : add(unprotectMarkers(start))
  }

  return {
    push(text) {
      const told: FieldDelta[] = []
      for (const piece of text.split(/(?<=[\n\r\u2028\u2029])/)) {
        if (done) break
        const isWhole = /[\n\r\u2028\u2029]$/.test(piece)
        told.push(...(line === undefined ? add(piece) : decide(line + piece, isWhole)))
        if (isWhole) line = ''
      }
      return told
    },
    end: () => (done ? [] : [...(line === undefined ? [] : decide(line, true)), ...close()]),
  }
}

function deltas(field: string, text: string): readonly FieldDelta[] {
  return text === '' ? [] : [{ field, text }]
}

interface EndFilter {
  push(text: string): string
  end(): string
}

/** Holds back white space and backslashes at the end, which may be trimmed or be protection; takes them off the start. */
function createEndFilter(): EndFilter {
  let held = ''
  let started = false
  return {
    push(text) {
      let more = text
      if (!started) {
        more = (held + text).trimStart()
        held = /^\\*$/.test(more) ? more : ''
        if (held === more) return ''
        started = true
        if (/^\\+\s/.test(more)) more = more.slice(1)
      }
      let end = more.length
      while (end > 0 && /[\s\\]/.test(more[end - 1] ?? '')) end -= 1
      const given = end === 0 ? '' : held + more.slice(0, end)
      held = end === 0 ? held + more : more.slice(end)
      return given
    },
    end() {
      if (!started) return unprotectEnds(held)
      const rest = held.trimEnd()
      return /\s\\+$/.test(rest) ? rest.slice(0, -1) : rest
    },
  }
}
