// What is read from a wire is plain data: JSON keeps all of it, so that no member is undefined and none is lost when it is stored.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import { holds } from './cases.js'
import { requests } from './requests.js'
import { responses } from './responses.js'
import { sealedOf, subjects, vendors } from './subjects.js'

/** The places of members that JSON drops or changes. */
function findOdd(value: unknown, place = ''): readonly string[] {
  if (value === undefined) return [place]
  if (value instanceof Map) return [...value].flatMap(([key, item]) => findOdd(item, `${place}/${String(key)}`))
  if (typeof value !== 'object' || value === null || value instanceof Error) return []
  return Object.entries(value).flatMap(([key, item]) => findOdd(item, `${place}/${key}`))
}

const expectPlain = (value: unknown): void => expect(findOdd(value)).toEqual([])

/** Nothing is sent for its own sake: what an event adds is in it. */
function expectSubstance(events: readonly CompletionEvent[]): void {
  for (const event of events) {
    if (event.type === 'text_delta' || event.type === 'reasoning_delta') expect(event.text).not.toBe('')
    if (event.type === 'attach') expect(Object.keys(event).length).toBeGreaterThan(3)
  }
}

describe.each([...subjects, ...vendors])('$name', ({ wire, codec, env, ...rest }) => {
  const folder = new URL(`../examples/${wire}/`, import.meta.url)
  const files = (prefix: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith(prefix))
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
  const exchange = { wire, model: 'm', stream: true }
  const fold = (events: readonly CompletionEvent[]): unknown => {
    const folder = createFolder()
    for (const event of events) folder.push(event)
    return folder.done().response
  }

  test.each(files('stream.'))('the events of %s', (name) => {
    const machine = codec.stream.decode(exchange, env)
    const events = [...machine.push(new TextEncoder().encode(read(name))), ...machine.end()]
    expectPlain(events)
    expectSubstance(events)
    expectPlain(fold(events))
  })

  test.each(files('response.'))('the events of %s', (name) => {
    const events = codec.response.decode({ status: 200, headers: {}, body: read(name) }, exchange, env)
    expectPlain(events)
    expectPlain(fold(events))
  })

  test('any request that was written, read, and sealed', () => {
    holds(
      `plain ${wire}`,
      60,
      fc.property(requests({ realistic: true }), fc.boolean(), (request, stream) => {
        const sealed = sealedOf({ wire, codec, env, ...rest }, request)
        if (sealed === undefined) return
        expectPlain(sealed.request)
        const { http, losses, exchange: encoded } = codec.request.encode(request, { stream }, env)
        const { maps: _, output: __, ...facts } = encoded
        expectPlain(http)
        expectPlain(losses)
        expectPlain(facts)
        expectPlain(codec.request.decode(http, env))
      }),
    )
  })

  test('any response that was written and read, whole and streamed', () => {
    holds(
      `plain ${wire}`,
      60,
      fc.property(responses({}), (response) => {
        const { http, losses } = codec.response.encode(response, exchange, env)
        expectPlain(http)
        expectPlain(losses)
        const events = codec.response.decode(http, exchange, env)
        expectPlain(events)
        expectPlain(fold(events))
      }),
    )
  })
})
