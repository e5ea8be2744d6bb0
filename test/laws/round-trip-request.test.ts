// Law 1, requests: encoding a sealed request loses exactly what it reports, and reading what was written is a normal form.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyLosses } from '../../src/conversation/losses.js'
import { holds } from './cases.js'
import { agree, comparableRequest, stored } from './comparable.js'
import { requests } from './requests.js'
import { bodyOf, sealedOf, subjects, vendors } from './subjects.js'

/** Models that profiles know to think, or to be told of thinking, in their own ways. */
const models = ['m-1', 'm-2', 'gemini-2.5-flash', 'gemini-2.5-pro', 'claude-fable-5-1', 'gpt-4.1']

describe.each([...subjects, ...vendors])('law 1, requests on $name', (subject) => {
  const { wire, name, codec, env } = subject
  const share = subjects.includes(subject) ? 1 : 0.25

  for (const realistic of [true, false]) {
    test(`what is read is what was written minus the losses (${realistic ? 'real' : 'any'} opaque values)`, () => {
      holds(
        `1 request ${name}`,
        100 * share,
        fc.property(requests({ realistic, models }), fc.boolean(), (request, stream) => {
          const sealed = sealedOf(subject, request)?.request
          if (sealed === undefined) return
          const { http, losses } = codec.request.encode(request, { stream }, env)
          const back = comparableRequest(codec.request.decode(http, env).request)
          const told = comparableRequest(applyLosses(stored(sealed), losses))
          agree(back, told)
        }),
      )
    })
  }

  test('no loss and no repair: what is read is what was asked', () => {
    holds(
      `1 request ${name}`,
      60 * share,
      fc.property(requests({ realistic: true, models, wires: [wire], histories: 'paired' }), (request) => {
        const { http, losses } = codec.request.encode(request, { stream: false }, env)
        if (losses.length > 0) return
        const back = comparableRequest(codec.request.decode(http, env).request)
        agree(back, comparableRequest(request))
      }),
    )
  })

  test('reading and writing again changes nothing', () => {
    holds(
      `1 request ${name}`,
      100 * share,
      fc.property(requests({ realistic: true, models }), fc.boolean(), (request, stream) => {
        if (sealedOf(subject, request) === undefined) return
        const first = codec.request.encode(request, { stream }, env)
        const second = codec.request.encode(codec.request.decode(first.http, env).request, { stream }, env)
        const again = codec.request.encode(codec.request.decode(second.http, env).request, { stream }, env)
        agree(bodyOf(second.http), bodyOf(first.http))
        agree(bodyOf(again.http), bodyOf(second.http))
        expect(second.http.path).toBe(first.http.path)
      }),
    )
  })
})
