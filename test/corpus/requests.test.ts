// Every recorded request through decode and encode of its own wire: a semantically equal body, or an entry in differences.json.
// An entry that no longer differs, or whose class has changed, fails as well.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { parseJson } from '../../src/json/parse.js'
import type { Codec, HttpRequest } from '../../src/wire/codec.js'
import { codecs } from '../../src/wire/index.js'
import { envOf } from './decoding.js'
import listed from './differences.json' with { type: 'json' }
import { normalise, rules } from './normalisation.js'
import { corpusFound, type Exchanged, recordsOf } from './records.js'
import { bodyText, encodedAgain, httpRequestOf } from './requests.js'

interface Difference {
  readonly class: string
  readonly reason: string
}
const differences = new Map<string, Difference>(Object.entries(listed))

/** `equal`, `different`, the code of a typed refusal, or nothing when no request was recorded. */
function outcome(wire: Wire, record: Exchanged): string | undefined {
  const codec = codecs[wire]
  const http = httpRequestOf(codec, record)
  if (http === undefined) return undefined
  try {
    const again = normalise(wire, encodedAgain(codec, record, http))
    return isDeepStrictEqual(again, normalise(wire, parseJson(bodyText(http)))) ? 'equal' : 'different'
  } catch (error) {
    if (ToolwireError.is(error)) return error.code
    throw error
  }
}

/** The request after decode and encode; nothing where it is refused. */
function passed(codec: Codec, record: Exchanged, http: HttpRequest): HttpRequest | undefined {
  const env = envOf(codec, record)
  try {
    const { request, exchange } = codec.request.decode(http, env)
    return codec.request.encode(request, { stream: exchange.stream }, env).http
  } catch (error) {
    if (ToolwireError.is(error)) return undefined
    throw error
  }
}

describe.skipIf(!corpusFound)('recorded requests', () => {
  test('what was encoded once is encoded the same again', () => {
    const changed: string[] = []
    for (const wire of wires) {
      const codec = codecs[wire]
      for (const record of recordsOf(wire)) {
        const http = httpRequestOf(codec, record)
        const once = http === undefined ? undefined : passed(codec, record, http)
        if (once === undefined) continue
        const twice = passed(codec, record, once)
        if (twice === undefined || bodyText(once) !== bodyText(twice)) changed.push(record.id)
      }
    }
    expect(changed).toEqual([])
  })

  test('98 % of the recorded requests of each wire come back equal, the rest is listed with a reason', () => {
    const seen = new Set<string>()
    for (const wire of wires) {
      const outcomes = recordsOf(wire).flatMap((record) => {
        const result = outcome(wire, record)
        return result === undefined ? [] : [{ id: record.id, result }]
      })
      const unequal = outcomes.filter(({ result }) => result !== 'equal')
      const share = (outcomes.length - unequal.length) / outcomes.length
      console.info(
        `${wire}: ${outcomes.length - unequal.length} of ${outcomes.length} requests equal (${(share * 100).toFixed(1)} %)`,
      )
      expect(share, wire).toBeGreaterThanOrEqual(0.98)
      expect(unequal.filter(({ id }) => !differences.has(id))).toEqual([])
      for (const { id } of unequal) seen.add(id)
    }
    expect([...differences.keys()].filter((id) => !seen.has(id))).toEqual([])
  })
})

test('every rule of the normalisation and every listed difference has a reason', () => {
  for (const { name, reason } of rules) expect(reason.length, name).toBeGreaterThan(20)
  for (const [id, entry] of differences) {
    expect(entry.class, id).toMatch(/^[a-z_]+$/)
    expect(entry.reason.length, id).toBeGreaterThan(20)
  }
})
