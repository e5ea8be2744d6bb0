// Every way to cut a recorded stream once. What a cut must not change is compared as text: every event, an error by its code and words.
// CORPUS_SPLITS=all takes every position of every stream, which is long: CORPUS_SHARD=2/8 takes the second of eight shares.
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { Codec, Env, Exchange } from '../../src/wire/codec.js'
import { foldAll, streamEvents } from '../streams/streamed.js'
import { envOf, exchangeOf } from './decoding.js'
import { answerText, type Exchanged, isStreamed, recordsOf } from './records.js'
import { terminalEnd } from './terminals.js'

/** Streams beyond this are cut by the byte only. */
const largest = 20_000
/** Streams up to this size are cut in two at every position; longer ones at about this many, unless all are asked for. */
const everyPosition = 1_500
const positionsPerStream = 40
/** Longer ones are also cut into pieces of this size, shifted byte by byte, so that every position is cut once. */
const pieceSize = 61
const [shard = 1, shards = 1] = process.env.CORPUS_SHARD?.split('/').map(Number) ?? []

export interface Cuts {
  readonly streams: number
  readonly cuts: number
  readonly failures: readonly string[]
}

interface Subject {
  readonly codec: Codec
  readonly record: Exchanged
  readonly bytes: Uint8Array
  readonly text: string
  readonly exchange: Exchange
  readonly env: Env
}

/** Cut at each position, and one byte at a time: the same events as whole. */
export function splitCuts(codec: Codec, all: boolean): Cuts {
  return over(codec, (subject) => {
    const whole = decoded(subject, [subject.bytes])
    const failures: string[] = []
    const positions = positionsOf(subject.bytes.length, all)
    for (const at of positions) {
      const got = decoded(subject, [subject.bytes.subarray(0, at), subject.bytes.subarray(at)])
      if (got !== whole) failures.push(`${subject.record.id} cut at ${at}`)
    }
    const shifts = positions.length === subject.bytes.length - 1 ? 0 : pieceSize
    for (let shift = 0; shift < shifts; shift += 1) {
      if (decoded(subject, pieces(subject.bytes, shift)) !== whole)
        failures.push(`${subject.record.id} shifted ${shift}`)
    }
    const single = Array.from(subject.bytes, (byte) => Uint8Array.of(byte))
    if (decoded(subject, single) !== whole) failures.push(`${subject.record.id} byte by byte`)
    return { cuts: positions.length + (shifts === 0 ? 0 : subject.bytes.length - 1), failures }
  })
}

/** Cut off at each position: an error before the terminal marker; behind it the whole text and calls. */
export function truncations(codec: Codec, all: boolean): Cuts {
  return over(codec, (subject) => {
    const whole = foldAll(streamEvents(codec, [subject.bytes], subject.exchange, subject.env))
    const terminal = new TextEncoder().encode(subject.text.slice(0, terminalEnd(codec.wire, subject.text))).length
    const failures: string[] = []
    const positions = positionsOf(subject.bytes.length, all)
    for (const at of positions) {
      const events = streamEvents(codec, [subject.bytes.subarray(0, at)], subject.exchange, subject.env)
      const { response, error } = foldAll(events)
      const where = `${subject.record.id} ends at ${at} of ${subject.bytes.length}, terminal at ${terminal}`
      if (at < terminal && error === undefined) failures.push(`${where}: looks finished`)
      if (at < terminal && error !== undefined && error.code !== 'truncated') failures.push(`${where}: ${error.code}`)
      if (error !== undefined && events.some((event) => event.type === 'finish')) failures.push(`${where}: both ends`)
      const same = response.text === whole.response.text && response.finishReason === whole.response.finishReason
      if (error === undefined && !same) failures.push(`${where}: another answer`)
    }
    return { cuts: positions.length, failures }
  })
}

function over(codec: Codec, run: (subject: Subject) => { cuts: number; failures: readonly string[] }): Cuts {
  let [streams, cuts] = [0, 0]
  const failures: string[] = []
  for (const record of recordsOf(codec.wire).filter(isStreamed).filter(inShard)) {
    const text = answerText(codec.wire, record)
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > largest) continue
    const done = run({ codec, record, bytes, text, exchange: exchangeOf(codec, record), env: envOf(codec, record) })
    streams += 1
    cuts += done.cuts
    failures.push(...done.failures)
  }
  return { streams, cuts, failures }
}

function inShard(_: Exchanged, index: number): boolean {
  return index % shards === shard - 1
}

function positionsOf(size: number, all: boolean): readonly number[] {
  const stride = all || size <= everyPosition ? 1 : Math.ceil(size / positionsPerStream)
  const positions: number[] = []
  for (let at = 1; at < size; at += stride) positions.push(at)
  return positions
}

/** The bytes in pieces of one size, the first one shorter. */
function pieces(bytes: Uint8Array, first: number): readonly Uint8Array[] {
  const list = first === 0 ? [] : [bytes.subarray(0, first)]
  for (let at = first; at < bytes.length; at += pieceSize) list.push(bytes.subarray(at, at + pieceSize))
  return list
}

function decoded({ codec, exchange, env }: Subject, pieces: readonly Uint8Array[]): string {
  return JSON.stringify(streamEvents(codec, pieces, exchange, env).map(seen))
}

function seen(event: CompletionEvent): unknown {
  return event.type === 'error' ? [event.error.code, event.error.message] : event
}
