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
  let line = ''
  /** How much of the line was given on; 0 while the line may still be a marker. */
  let given = 0
  let done = false

  const close = (): readonly FieldDelta[] => (current === undefined ? [] : deltas(current.field, current.ends.end()))
  const add = (text: string): readonly FieldDelta[] =>
    current === undefined ? [] : deltas(current.field, current.ends.push(text))

  /** Begins the field of a marker; the rest of the line belongs to it. */
  const begin = (name: string): readonly FieldDelta[] => {
    const ended = close()
    done = name === 'completed'
    current = done || seen.has(name) || kinds.get(name) !== true ? undefined : { field: name, ends: createEndFilter() }
    seen.add(name)
    return ended
  }

  /** Gives on what can be decided of the line. */
  const decide = (isWhole: boolean): readonly FieldDelta[] => {
    if (given > 0) return advance()
    const found = markerLine.exec(line)
    if (found !== null && (kinds.has(found[1] ?? '') || found[1] === 'completed')) {
      given = found[0].length
      return [...begin(found[1] ?? ''), ...advance()]
    }
    if (!isWhole && undecided.test(line)) return []
    line = unprotectMarkers(line)
    return advance()
  }
  const advance = (): readonly FieldDelta[] => {
    const text = line.slice(given)
    given = line.length
    return text === '' ? [] : add(text)
  }

  return {
    push(text) {
      const found: FieldDelta[] = []
      for (const piece of text.split(/(?<=[\n\r\u2028\u2029])/)) {
        if (done) break
        line += piece
        const isWhole = /[\n\r\u2028\u2029]$/.test(piece)
        found.push(...decide(isWhole))
        if (isWhole) {
          line = ''
          given = 0
        }
      }
      return found
    },
    end: () => (done ? [] : [...decide(true), ...close()]),
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
      let all = held + text
      if (!started) {
        all = all.trimStart()
        if (/^\\*$/.test(all)) {
          held = all
          return ''
        }
        started = true
        if (/^\\+\s/.test(all)) all = all.slice(1)
      }
      let end = all.length
      while (end > 0 && /[\s\\]/.test(all[end - 1] ?? '')) end -= 1
      held = all.slice(end)
      return all.slice(0, end)
    },
    end() {
      if (!started) return unprotectEnds(held)
      const rest = held.trimEnd()
      return /\s\\+$/.test(rest) ? rest.slice(0, -1) : rest
    },
  }
}
