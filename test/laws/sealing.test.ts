// Laws 9 and 10: any history can be sent, and what was sent once is not sent differently later.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import type { Message } from '../../src/conversation/messages.js'
import { isCall } from '../../src/conversation/messages.js'
import { bodyText } from '../../src/frames/body.js'
import type { EncodedRequest } from '../../src/wire/codec.js'
import { validate as gemini } from '../validators/gemini.js'
import { blocksOf } from './blocks.js'
import { holds } from './cases.js'
import { requests } from './requests.js'
import { bodyOf, sealedOf, subjects, vendors } from './subjects.js'

/** Repairs that join a message to the one before it, which then changes too. */
const joining = new Set(['system_merged', 'assistant_merged'])

describe.each([...subjects, ...vendors])('law 9 on $name', (subject) => {
  const { wire, name, codec, env, validate } = subject
  const share = subjects.includes(subject) ? 1 : 0.25

  test('sealing is total, idempotent, leaves its input alone and keeps what it did not change', () => {
    holds(
      `9 seal ${name}`,
      200 * share,
      fc.property(requests({ histories: 'any' }), (request) => {
        const before = JSON.stringify(request)
        const once = sealedOf(subject, request)
        expect(JSON.stringify(request)).toBe(before)
        if (once === undefined) return
        const twice = codec.seal(once.request, env)
        expect(twice.losses).toEqual([])
        expect(twice.request).toBe(once.request)
        const paths = once.losses.map((loss) => loss.path)
        if (once.losses.some((loss) => joining.has(loss.code))) return
        request.messages.forEach((message, index) => {
          const told = paths.some((path) => path === `/messages/${index}` || path.startsWith(`/messages/${index}/`))
          if (!told && message.role !== 'tool') expect(once.request.messages).toContain(message)
        })
      }),
    )
  })

  test('a request that is sealed without a report comes back as the same object', () => {
    const histories = fc
      .constantFrom('paired', 'any')
      .chain((kind) => requests({ histories: kind, wires: [wire], realistic: true }))
    holds(
      `9 seal ${name}`,
      60 * share,
      fc.property(histories, (request) => {
        const sealed = sealedOf(subject, request)
        if (sealed?.losses.length === 0) expect(sealed.request).toBe(request)
      }),
    )
  })

  test('a history that was frozen and grew is sealed and sent as one that was not', () => {
    holds(
      `9 seal ${name}`,
      30 * share,
      fc.property(requests({ realistic: true }), (request) => {
        const frozen = request.messages.map((message) => freeze(structuredClone(message)))
        for (let length = 1; length <= frozen.length; length += 1) {
          const plain = { ...request, messages: request.messages.slice(0, length) }
          if (sealedOf(subject, plain) === undefined) continue
          const grown = codec.request.encode({ ...request, messages: frozen.slice(0, length) }, { stream: false }, env)
          const fresh = codec.request.encode(plain, { stream: false }, env)
          expect(bodyText(grown.http.body)).toBe(bodyText(fresh.http.body))
          expect(grown.losses).toEqual(fresh.losses)
        }
      }),
    )
  })

  test('what is sent passes the strict validator', () => {
    holds(
      `9 validator ${name}`,
      250 * share,
      fc.property(requests({ realistic: true, extra: false }), fc.boolean(), (request, stream) => {
        if (sealedOf(subject, request) === undefined) return
        const { http } = codec.request.encode(request, { stream }, env)
        expect(validate(bodyOf(http)).join('\n')).toBe('')
      }),
    )
  })

  test('half a surrogate pair anywhere never reaches the wire', () => {
    const half = fc.constantFrom(
      'a\ud800b',
      '\udc00',
      '{"a":"\ud800"}',
      '{"a":"\\ud800\\\\ud800"}',
      '{"\\uDC00":"\\ud83d\\ude00"}',
    )
    holds(
      `9 validator ${name}`,
      20 * share,
      fc.property(half, half, (words, args) => {
        const messages: readonly Message[] = [
          { role: 'system', content: [{ type: 'text', text: words }] },
          { role: 'user', content: [{ type: 'text', text: words }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: words },
              { type: 'tool_call', id: words, name: words, arguments: args },
            ],
          },
          {
            role: 'tool',
            results: [{ callId: words, name: words, content: [{ type: 'text', text: words }], isError: true }],
          },
        ]
        const tools = [{ name: words, description: words, inputSchema: { type: 'object', properties: {} } }]
        const { http } = codec.request.encode({ model: 'm-1', messages, tools, stop: [words] }, { stream: false }, env)
        expect(validate(bodyOf(http)).join('\n')).toBe('')
      }),
    )
  })
})

test('law 9 on gemini: every step of the running turn is signed where the model demands it', () => {
  const subject = subjects.find(({ wire }) => wire === 'gemini')
  if (subject === undefined) throw new Error('gemini is no subject')
  holds(
    '9 validator gemini',
    200,
    fc.property(requests({ realistic: true, extra: false }), (any) => {
      const request = { ...any, model: 'gemini-3-pro' }
      if (sealedOf(subject, request) === undefined) return
      const { http } = subject.codec.request.encode(request, { stream: false }, subject.env)
      expect(gemini(bodyOf(http), { signatures: true }).join('\n')).toBe('')
    }),
  )
})

/** Whether some call of the history has no result behind it. */
function isOpen(messages: readonly Message[]): boolean {
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? message.results.map((r) => r.callId) : [])),
  )
  return messages.some(
    (message) => message.role === 'assistant' && message.content.some((part) => isCall(part) && !answered.has(part.id)),
  )
}

describe.each(subjects)('law 10 on $wire', (subject) => {
  const { wire, codec, env } = subject

  test('the blocks of a turn are a prefix of the next turn’s', () => {
    holds(
      `10 ${wire}`,
      210,
      fc.property(requests({ histories: 'paired', realistic: true }), fc.nat({ max: 100 }), (request, nat) => {
        const cut = 1 + (nat % request.messages.length)
        const messages = request.messages.slice(0, cut)
        const last = messages.at(-1)
        if (isOpen(messages) || (last?.role !== 'user' && last?.role !== 'tool')) return
        const turn = sealedOf(subject, { ...request, messages })
        // Nothing but system text stands at the front yet: there was no turn whose prompt could be cached.
        if (turn === undefined || turn.request.messages.every((message) => message.role === 'system')) return
        const encode = (list: readonly Message[]): EncodedRequest =>
          codec.request.encode({ ...request, messages: list }, { stream: false }, env)
        const first = encode(messages)
        // A question without a word is not sent: an answer stands last then, to go on with, and may have to lose its white space.
        if (first.losses.some(({ code }) => code === 'prefill_trimmed')) return
        const before = blocksOf(wire, bodyOf(first.http))
        const after = blocksOf(wire, bodyOf(encode(request.messages).http))
        expect(after.slice(0, before.length)).toEqual(before)
      }),
    )
  })
})
