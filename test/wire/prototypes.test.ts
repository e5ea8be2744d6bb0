// Keys that lead to a prototype, in everything a provider or a client may send, reach none.
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { createFolder } from '../../src/conversation/fold.js'
import { wires } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const hostile =
  '"__proto__":{"polluted":true,"role":"user"},"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}'

/** Every object of the text begins with the hostile keys, and every tool may be called like one. */
function poisoned(text: string): string {
  return text
    .replaceAll(/\{(\s*)"/g, `{${hostile},$1"`)
    .replaceAll(/\{\s*\}/g, `{${hostile}}`)
    .replaceAll('get_weather', '__proto__')
}

const folder = (wire: string): URL => new URL(`../examples/${wire}/`, import.meta.url)
const filesOf = (wire: string, prefix: string): readonly string[] =>
  readdirSync(folder(wire)).filter((name) => name.startsWith(prefix))
const textOf = (wire: string, name: string): string => poisoned(readFileSync(new URL(name, folder(wire)), 'utf8'))

/** Nothing in the value has another prototype than plain data has. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof ToolwireError) return
  const prototype: unknown = Object.getPrototypeOf(value)
  expect([Object.prototype, Array.prototype, null]).toContain(prototype)
  for (const item of Object.values(value)) expectPlain(item)
}

afterEach(() => {
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})

describe.each(wires)('%s', (wire) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const exchange = { wire, model: 'm', stream: false }

  test.each(filesOf(wire, 'response.'))('%s', (name) => {
    const events = codec.response.decode({ status: 200, headers: {}, body: textOf(wire, name) }, exchange, env)
    const folded = createFolder()
    for (const event of events) folded.push(event)
    expectPlain(folded.done().response)
  })

  test.each(filesOf(wire, 'stream.'))('%s', (name) => {
    const machine = codec.stream.decode({ ...exchange, stream: true }, env)
    const folded = createFolder()
    const events = [...machine.push(new TextEncoder().encode(textOf(wire, name))), ...machine.end()]
    for (const event of events) folded.push(event)
    expectPlain(folded.done().response)
  })

  test.each(filesOf(wire, 'error.'))('%s', (name) => {
    expect(ToolwireError.is(codec.error.decode({ status: 400, headers: {}, body: textOf(wire, name) }))).toBe(true)
  })

  test.each(filesOf(wire, 'request.'))('%s, decoded and encoded again', (name) => {
    const path = wire === 'gemini' ? '/v1beta/models/m:generateContent' : '/'
    const headers = { 'anthropic-version': '2023-06-01' }
    const read = (): unknown => {
      try {
        const { request } = codec.request.decode({ method: 'POST', path, headers, body: textOf(wire, name) }, env)
        codec.request.encode(request, { stream: false }, env)
        return request
      } catch (error) {
        expect(ToolwireError.is(error)).toBe(true)
        return undefined
      }
    }
    expectPlain(read())
  })
})
