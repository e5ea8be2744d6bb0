// The twenty ordered pairs of wires over all recorded requests, answers and streams. The tables are printed.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { codecs } from '../../src/wire/index.js'
import { foldAll } from '../streams/streamed.js'
import { envOf, eventsOf } from './decoding.js'
import {
  answerCrossing,
  type Crossing,
  comparable,
  requestCrossing,
  translated,
  translatedStream,
  type Verdict,
} from './pairs.js'
import listed from './pairs-lost.json' with { type: 'json' }
import { corpusFound, type Exchanged, isStreamed, recordsOf } from './records.js'
import { decodedRequest, isRefusedAtHome } from './requests.js'

const verdicts: readonly Verdict[] = ['complete', 'beyond', 'declared', 'refused', 'wrong']
type Counts = Record<Verdict, number>

interface Table {
  readonly counts: Counts
  readonly wrong: readonly string[]
  /** How many crossings lost something of a kind, by the wire they went to. */
  readonly classes: Classes
  /** Crossings that were refused or lost something of the list, whether or not the target has a place for it. */
  readonly short: number
}
type Classes = Record<string, Record<string, number>>

/** Every tool, call, result, choice, structured setting, system text, other text and image. */
const essential = new Set(
  'tool,call,result,result text,choice,output,system text,user text,assistant text,image,refused'.split(','),
)

/**
 * Counts what becomes of each item on its way to each other wire, and prints a line per pair. Each is read once, whatever it crosses to;
 * a record without one reads as nothing.
 */
function table<Item>(
  title: string,
  read: (from: Wire, record: Exchanged) => Item | undefined,
  cross: (item: Item, to: Wire, record: Exchanged) => Crossing,
): Table {
  const total: Counts = { complete: 0, beyond: 0, declared: 0, refused: 0, wrong: 0 }
  const wrong: string[] = []
  const lines: string[] = []
  const classes: Classes = {}
  let short = 0
  for (const from of wires) {
    const items = recordsOf(from).flatMap((record) => {
      const item = read(from, record)
      return item === undefined ? [] : [{ record, item }]
    })
    for (const to of wires) {
      if (from === to) continue
      const counts: Counts = { complete: 0, beyond: 0, declared: 0, refused: 0, wrong: 0 }
      for (const { record, item } of items) {
        const crossing = cross(item, to, record)
        counts[crossing.verdict] += 1
        const kinds = kindsLost(crossing)
        for (const kind of kinds) addClass(classes, to, kind)
        if (kinds.some((kind) => essential.has(kind))) short += 1
        if (crossing.verdict === 'wrong') wrong.push(`${record.id} → ${to}: ${crossing.notes.join('; ')}`)
      }
      lines.push(line(`${from} → ${to}`, counts))
      for (const verdict of verdicts) total[verdict] += counts[verdict]
    }
  }
  console.info([line(title, undefined), ...lines, line('all', total)].join('\n'))
  return { counts: total, wrong, classes, short }
}

function kindsLost({ verdict, notes }: Crossing): readonly string[] {
  if (verdict === 'refused') return ['refused']
  return verdict === 'complete' ? [] : [...new Set(notes.map((note) => note.slice(0, note.indexOf(':'))))]
}

function addClass(classes: Classes, to: Wire, kind: string): void {
  const list = classes[to] ?? {}
  classes[to] = { ...list, [kind]: (list[kind] ?? 0) + 1 }
}

function line(title: string, counts: Counts | undefined): string {
  const cells = verdicts.map((verdict) => String(counts === undefined ? verdict : counts[verdict]).padStart(9))
  return `${title.padEnd(36)}${cells.join('')}`
}

function share(counts: Counts, ...good: readonly Verdict[]): number {
  const all = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)
  return good.reduce((sum, verdict) => sum + counts[verdict], 0) / all
}

describe.skipIf(!corpusFound)('pairs of wires', () => {
  test('requests arrive complete, or a loss or a typed refusal says what did not', () => {
    const { counts, wrong, classes, short } = table('requests', readRequest, (request, to, record) =>
      requestCrossing(request, codecs[to], isRefusedAtHome(record)),
    )
    expect(wrong).toEqual([])
    const all = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)
    console.info(`${((1 - short / all) * 100).toFixed(1)} % of ${all} requests arrive with all that is essential`)
    expect(classes).toEqual(mapReasons(listed, ({ crossings }) => crossings))
    expect(share(counts, 'complete', 'beyond')).toBeGreaterThanOrEqual(0.97)
    expect(1 - short / all).toBeGreaterThanOrEqual(0.97)
  })

  test('answers arrive complete on every other wire', () => {
    const { counts, wrong } = table('answers', readAnswer, ({ response }, to) =>
      answerCrossing(response, () => translated(response, codecs[to])),
    )
    expect(wrong).toEqual([])
    expect(share(counts, 'complete')).toBeGreaterThanOrEqual(0.98)
  })

  test.each([false, true])('streams arrive complete on every other wire (deltas %s)', (deltas) => {
    const { counts, wrong } = table(
      'streams',
      (from, record) => (isStreamed(record) ? readAnswer(from, record, deltas) : undefined),
      ({ events, response }, to) => answerCrossing(response, () => translatedStream(events, codecs[to])),
    )
    expect(wrong).toEqual([])
    expect(share(counts, 'complete')).toBeGreaterThanOrEqual(0.99)
  })

  test('a translated stream folds to the translated answer', () => {
    const differing: string[] = []
    for (const from of wires) {
      for (const record of recordsOf(from).filter(isStreamed)) {
        const answer = readAnswer(from, record, true)
        if (answer === undefined) continue
        const { events, response } = answer
        for (const to of wires.filter((wire) => wire !== from)) {
          const whole = comparable(translated(response, codecs[to]).answer)
          const streamed = comparable(translatedStream(events, codecs[to]).answer)
          if (!isDeepStrictEqual(whole, streamed)) differing.push(`${record.id} → ${to}`)
        }
      }
    }
    expect(differing).toEqual([])
  })
})

test('every class of what does not cross has a reason', () => {
  for (const kinds of Object.values(listed)) {
    for (const [kind, { reason }] of Object.entries(kinds)) expect(reason.length, kind).toBeGreaterThan(20)
  }
})

interface Reason {
  readonly crossings: number
  readonly reason: string
}

function mapReasons(reasons: Record<string, Record<string, Reason>>, map: (reason: Reason) => number): Classes {
  return Object.fromEntries(
    Object.entries(reasons).map(([wire, kinds]) => [
      wire,
      Object.fromEntries(Object.entries(kinds).map(([kind, reason]) => [kind, map(reason)])),
    ]),
  )
}

/** The request in canonical form; nothing where none was recorded or it cannot be read. */
function readRequest(wire: Wire, record: Exchanged) {
  try {
    return decodedRequest(codecs[wire], record)
  } catch (error) {
    if (ToolwireError.is(error)) return undefined
    throw error
  }
}

/** The answer as events and whole; nothing where it is an error. */
function readAnswer(wire: Wire, record: Exchanged, deltas = false) {
  const events = eventsOf(codecs[wire], record, { ...envOf(codecs[wire], record), deltas })
  const { response, error } = foldAll(events)
  return error === undefined ? { events, response } : undefined
}
