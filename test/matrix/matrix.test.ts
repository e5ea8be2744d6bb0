// Every wire fact of the matrix: exact bodies, exact losses, and the way back, for each concern on each wire.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { applyLosses } from '../../src/conversation/losses.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { parseJson } from '../../src/json/parse.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { HttpResponse } from '../../src/wire/codec.js'
import { comparableRequest, comparableResponse } from '../laws/comparable.js'
import { folded, halvesOf, readBody } from '../laws/subjects.js'
import { columnOf, lossText, requestOf, streamedResponse, subjectOf } from './column.js'
import {
  type Column,
  type ErrorConcern,
  formatJson,
  type RequestConcern,
  type ResponseConcern,
  readConcern,
  readConcerns,
} from './format.js'
import { pageOf } from './page.js'

const folder = new URL('./', import.meta.url)
const concerns = readConcerns(folder)

function bodyIn(column: Column): string {
  return stringifyJson(column.body ?? null)
}

function checkRequest(concern: RequestConcern, wire: Wire, column: Column): void {
  const subject = subjectOf(wire, column)
  const { codec, env } = subject
  const request = requestOf(concern, column)
  const { http, losses } = codec.request.encode(request, { stream: column.stream === true }, env)
  const { request: decoded } = codec.request.decode({ ...http, body: bodyIn(column) }, env)
  const expected = applyLosses(codec.seal(request, env).request, losses)
  expect(comparableRequest(decoded)).toEqual(column.decoded ?? comparableRequest(expected))
  if (column.profile === undefined) expect(subject.validate(JSON.parse(bodyIn(column)))).toEqual([])
}

function checkResponse(concern: ResponseConcern, wire: Wire, column: Column): void {
  const subject = subjectOf(wire, column)
  const { server, client } = halvesOf(subject, false)
  const { losses } = subject.codec.response.encode(concern.canonical, server, subject.env)
  const http: HttpResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: bodyIn(column) }
  const { response, error } = folded(readBody(subject, client, http))
  expect(error).toBeUndefined()
  const expected = column.decoded ?? comparableResponse(applyLosses(concern.canonical, losses))
  expect(comparableResponse(response)).toEqual(expected)
  const loose = { looseArguments: true }
  const streamed = streamedResponse(concern.canonical, subject, 7)
  expect(comparableResponse(streamed.response, loose)).toEqual(comparableResponse(response, loose))
  expect(streamed.losses.map(lossText).toSorted()).toEqual(column.losses?.toSorted())
}

function checkError(concern: ErrorConcern, wire: Wire, column: Column): void {
  const subject = subjectOf(wire, column)
  const { code, message, ...options } = concern.canonical
  const error = new ToolwireError(code, message, options)
  const { headers } = subject.codec.error.encode(error, halvesOf(subject, false).server)
  const decoded = subject.codec.error.decode({ status: column.status ?? 0, headers, body: bodyIn(column) })
  expect(decoded.code).toBe(code)
  expect(decoded.retryable).toBe(error.retryable)
  expect(decoded.retryAfterMs).toBe(error.retryAfterMs)
  expect(decoded.message).toContain(message)
}

describe.each(concerns)('$name', (concern) => {
  it.each(wires)('%s: the body and its losses are exactly those of the matrix', (wire) => {
    expect(columnOf(concern, wire)).toEqual(concern.wires[wire])
  })

  it.each(wires)('%s: the body is read back as the matrix says', (wire) => {
    const column = concern.wires[wire]
    if (column.refused !== undefined) return
    if (concern.kind === 'request') checkRequest(concern, wire, column)
    else if (concern.kind === 'response') checkResponse(concern, wire, column)
    else checkError(concern, wire, column)
  })
})

describe('the files', () => {
  const [some] = concerns
  const text = readFileSync(new URL(`${some?.name}.json`, folder), 'utf8')

  it('there are at least forty concerns, of every kind', () => {
    expect(concerns.length).toBeGreaterThanOrEqual(40)
    expect(new Set(concerns.map((concern) => concern.kind))).toEqual(new Set(['request', 'response', 'error']))
    expect(new Set(concerns.map((concern) => concern.title)).size).toBe(concerns.length)
  })

  it('a file without one of the wires is refused', () => {
    expect(() => readConcern('x', text.replace('"ollama"', '"nowhere"'))).toThrow('nowhere')
    const { ollama: _, ...others } = JSON.parse(text).wires
    expect(() => readConcern('x', JSON.stringify({ ...JSON.parse(text), wires: others }))).toThrow(
      'x/wires/ollama is missing',
    )
  })

  it('a file with an unknown member is refused', () => {
    expect(() => readConcern('x', text.replace('"about"', '"abuot"'))).toThrow('abuot')
    expect(() => readConcern('x', text.replace('"losses"', '"loses"'))).toThrow('loses')
  })

  it('numbers are written as they are read, whatever their length', () => {
    const exact = '{ "id": 9007199254740993123, "list": [1.5, -2] }'
    expect(formatJson(parseJson(exact))).toBe(exact)
  })

  it('docs/wires.md is what the matrix says', () => {
    const page = readFileSync(new URL('../../docs/wires.md', import.meta.url), 'utf8')
    expect(page === pageOf(concerns), 'run: node scripts/matrix.mjs --write').toBe(true)
  })
})
