// Laws 6 and 7: no call runs on guessed arguments, and the text of arguments survives every journey.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyCall, AssistantMessage, Message } from '../../src/conversation/messages.js'
import { isCall } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { unfold } from '../../src/conversation/unfold.js'
import { argumentText, json } from '../arbitraries/conversation.js'
import { holds } from './cases.js'
import { stored, withoutSpace } from './comparable.js'
import { rawCallStream } from './raw-streams.js'
import { pieces, responseOf } from './responses.js'
import { folded, halvesOf, pairs, readBody, readStream, type Subject, streamed, subjects } from './subjects.js'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 200 })
const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 })
const escapes = fc.constantFrom(
  '\\u0041',
  '\\/',
  '\\ud83d\\ude00',
  '\\u2028',
  '\\b\\f\\n\\r\\t',
  '\\\\',
  '\\"',
  'é',
  '\u2028',
  '💙',
)

/** Argument text with 200-digit integers, white space in odd places, escapes that need not be there. */
const oddArguments: fc.Arbitrary<string> = fc.oneof(
  argumentText,
  fc
    .tuple(space, space, space, fc.array(escapes, { maxLength: 4 }), digits, json)
    .map(([a, b, c, words, figures, value]) => {
      const number = figures.replace(/^0+(?=\d)/, '')
      return `{${a}"n"${b}:${c}${number}${a},"s${words.join('')}":"${words.join('x')}",${b}"v":${JSON.stringify(value, undefined, 1)}${c}}`
    }),
)

function callsIn(message: AssistantMessage): readonly AnyCall[] {
  return message.content.filter(isCall)
}

/** A request whose history holds one call with these arguments, answered. */
function history(args: string, broken: boolean): CompletionRequest {
  const call = { id: 'call_1', name: 'search', arguments: args }
  const part: AnyCall = broken ? { type: 'broken_call', ...call, reason: 'malformed' } : { type: 'tool_call', ...call }
  const messages: readonly Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'assistant', content: [part] },
    {
      role: 'tool',
      results: [{ callId: 'call_1', name: 'search', content: [{ type: 'text', text: 'ok' }], isError: false }],
    },
  ]
  return { model: 'm-1', messages, tools: [{ name: 'search', inputSchema: { type: 'object', properties: {} } }] }
}

/** The call of a request after it was sent on a wire, read by its server and stored. */
function sentOn({ codec, env }: Subject, request: CompletionRequest): { request: CompletionRequest; call: AnyCall } {
  const { request: read } = codec.request.decode(codec.request.encode(request, { stream: false }, env).http, env)
  const kept = stored(read)
  const call = kept.messages.flatMap((message) => (message.role === 'assistant' ? callsIn(message) : []))[0]
  if (call === undefined) throw new Error('the call is gone')
  return { request: kept, call }
}

/** A proper prefix of whole characters that is not blank. */
const prefixes = fc.tuple(oddArguments, fc.nat({ max: 10_000 })).map(([text, nat]) => {
  const characters = [...text]
  return { text, prefix: characters.slice(0, 1 + (nat % Math.max(1, characters.length - 1))).join('') }
})

describe.each(subjects)('law 6 on $wire', (subject) => {
  const { wire, codec, env } = subject
  const stream = halvesOf(subject, true)
  const body = halvesOf(subject, false)

  test('a stream with a prefix of the arguments gives no runnable call, and keeps the text', () => {
    holds(
      `6 ${wire}`,
      100,
      fc.property(prefixes, fc.integer({ min: 1, max: 9 }), ({ prefix }, size) => {
        const events = readStream(subject, stream.client, [rawCallStream(wire, pieces(prefix, size), 'called')])
        const { response, error } = folded(events)
        expect(response.toolCalls).toEqual([])
        if (error === undefined) expect(response.brokenCalls.map((call) => call.arguments)).toEqual([prefix])
      }),
    )
  })

  test('an answer that ran out of tokens inside its last call does not run it', () => {
    holds(
      `6 ${wire}`,
      50,
      fc.property(oddArguments, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const read = (ending: 'called' | 'length') =>
          folded(readStream(subject, stream.client, [rawCallStream(wire, pieces(text, size), ending)])).response
        expect(read('called').toolCalls.map((call) => withoutSpace(call.arguments))).toEqual([withoutSpace(text)])
        expect(read('length').toolCalls).toEqual([])
        expect(read('length').brokenCalls.map((call) => call.reason)).toEqual(['truncated'])
      }),
    )
  })

  test('a broken call stays broken in histories, bodies and streams', () => {
    holds(
      `6 ${wire}`,
      100,
      fc.property(prefixes, ({ prefix }) => {
        const { call } = sentOn(subject, history(prefix, true))
        expect([call.type, call.arguments]).toEqual(['broken_call', prefix])
        const part = {
          type: 'broken_call',
          id: 'call_1',
          name: 'search',
          arguments: prefix,
          reason: 'malformed',
        } as const
        const response = responseOf({ role: 'assistant', content: [part] }, 'tool_calls')
        const { http } = codec.response.encode(response, body.server, env)
        const { bytes } = streamed(subject, stream.server, unfold(response))
        for (const events of [readBody(subject, body.client, http), readStream(subject, stream.client, [bytes])]) {
          const read = folded(events).response
          expect(read.toolCalls).toEqual([])
          expect(read.brokenCalls.map((broken) => broken.arguments)).toEqual([prefix])
        }
      }),
    )
  })
})

describe.each(subjects)('law 7 on $wire', (subject) => {
  const { wire, codec, env } = subject
  const body = halvesOf(subject, false)
  const stream = halvesOf(subject, true)

  test('an answer carries the text of arguments exactly; a stream up to white space', () => {
    holds(
      `7 ${wire}`,
      100,
      fc.property(oddArguments, (text) => {
        const part = { type: 'tool_call', id: 'call_1', name: 'search', arguments: text } as const
        const response = responseOf({ role: 'assistant', content: [part] }, 'tool_calls')
        const { http } = codec.response.encode(response, body.server, env)
        const read = folded(readBody(subject, body.client, http)).response
        expect(read.toolCalls.map((call) => call.arguments)).toEqual([text])
        const { bytes } = streamed(subject, stream.server, unfold(response))
        const streamedCalls = folded(readStream(subject, stream.client, [bytes])).response.toolCalls
        expect(streamedCalls.map((call) => withoutSpace(call.arguments))).toEqual([withoutSpace(text)])
      }),
    )
  })
})

test.each(pairs)('law 7, $name and back: the text of arguments is the same', ({ from, to, name }) => {
  holds(
    `7 ${name}`,
    30,
    fc.property(oddArguments, (text) => {
      const first = sentOn(from, history(text, false))
      const second = sentOn(to, first.request)
      const third = sentOn(from, second.request)
      expect([first, second, third].map(({ call }) => call.arguments)).toEqual([text, text, text])
    }),
  )
})
