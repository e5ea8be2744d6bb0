import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import { applyLosses, type Loss } from '../../src/conversation/losses.js'
import type { Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { type Body, bodyText } from '../../src/frames/body.js'
import type { Json } from '../../src/json/types.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'

const wire = 'openai-responses'
const env = (name = 'openai'): Env => {
  const profile = codec.profiles[name]
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return { profile, createdSeconds: 1_700_000_000, deltas: false }
}
const exchange: Exchange = { wire, model: 'm-1', stream: false }

/** What never crosses a wire is taken away on both sides. */
function crossing(value: unknown): Json {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member: unknown) {
    if (key === 'origin') return this.role === 'assistant' ? undefined : { wire: (member as { wire: string }).wire }
    if (key === 'reason' && this.type === 'broken_call') return undefined
    if ((key === 'error' || key === 'artifacts') && 'callId' in this) return undefined
    if (key === 'recovered') return undefined
    return member
  })
  return JSON.parse(text) as Json
}

function bodyOf(body: Body): string {
  return bodyText(body)
}

/** Nothing to send is refused before the network; everything else can be sent. */
function isEmpty(messages: readonly Message[]): boolean {
  try {
    codec.seal({ model: 'm-1', messages }, env())
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' })
    return true
  }
}

function expectLaw1(request: CompletionRequest, profile = 'openai'): readonly Loss[] {
  const sealed = codec.seal(request, env(profile))
  const encoded = codec.request.encode(sealed.request, { stream: false }, env(profile))
  const decoded = codec.request.decode(encoded.http, env(profile)).request
  expect(crossing(decoded)).toEqual(crossing(applyLosses(sealed.request, encoded.losses)))
  const again = codec.request.encode(decoded, { stream: false }, env(profile))
  const twice = codec.request.decode(again.http, env(profile)).request
  expect(bodyOf(codec.request.encode(twice, { stream: false }, env(profile)).http.body)).toBe(bodyOf(again.http.body))
  return encoded.losses
}

describe('law 1 for requests', () => {
  const any = conversationArbitraries()
  const own = conversationArbitraries({ wires: [wire] })
  // A request without input is refused, so every history here ends in a user's word.
  const said: Message = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] }

  test('any history crosses exactly but for its losses', () => {
    fc.assert(
      fc.property(any.messages, (messages) => {
        expectLaw1({ model: 'm-1', messages: [...messages, said] })
      }),
      { numRuns: 120 },
    )
  })

  test('a history of this wire crosses exactly but for its losses', () => {
    fc.assert(
      fc.property(own.conversation, (messages) => {
        expectLaw1({ model: 'm-1', messages: [...messages, said] })
      }),
      { numRuns: 120 },
    )
  })

  test('a history whose calls the server remembers keeps its results', () => {
    fc.assert(
      fc.property(own.messages, (messages) => {
        expectLaw1({ model: 'm-1', messages, extra: { [wire]: { previous_response_id: 'resp_1' } } })
      }),
      { numRuns: 120 },
    )
  })

  test('seal does nothing the second time', () => {
    fc.assert(
      fc.property(any.messages, (messages) => {
        fc.pre(!isEmpty(messages))
        const once = codec.seal({ model: 'm-1', messages: [...messages, said] }, env()).request
        const twice = codec.seal(once, env())
        expect(twice.losses).toEqual([])
        expect(twice.request).toBe(once)
      }),
      { numRuns: 120 },
    )
  })

  test('appending a message appends items', () => {
    fc.assert(
      fc.property(own.conversation, own.user, (messages, user) => {
        fc.pre(!isEmpty(messages))
        const items = (list: readonly Message[]): Json => {
          const { http } = codec.request.encode({ model: 'm-1', messages: list }, { stream: false }, env())
          return (JSON.parse(bodyOf(http.body)) as { input: Json }).input
        }
        const before = items([...messages, said]) as readonly Json[]
        const after = items([...messages, said, user]) as readonly Json[]
        expect(after.slice(0, before.length)).toEqual(before)
      }),
      { numRuns: 120 },
    )
  })
})

function folded(events: Iterable<CompletionEvent>): CompletionResponse {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  const { response, error } = folder.done()
  if (error !== undefined) throw error
  return response
}

/** A response as its answer gives it back: losses are not sent, and who answered is not part of the answer. */
function answer(response: CompletionResponse): Json {
  return crossing({ ...response, losses: [] })
}

describe('law 1 for answers', () => {
  const any = conversationArbitraries()
  const response = fc
    .tuple(
      any.assistant,
      fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error' as const),
      fc.option(fc.constantFrom('completed', 'end_turn', 'max_output_tokens', 'steered'), { nil: undefined }),
      fc.option(fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() }), { nil: undefined }),
    )
    .map(([message, reason, raw, usage]) =>
      folded([
        ...unfold({
          id: 'resp_1',
          model: 'm-1',
          text: '',
          toolCalls: [],
          brokenCalls: [],
          message,
          finishReason: reason as CompletionResponse['finishReason'],
          ...(raw === undefined ? {} : { rawFinishReason: raw }),
          ...(usage === undefined ? {} : { usage }),
          losses: [],
          metadata: {},
          requiresToolExecution: false,
        }),
      ]),
    )

  test('any answer crosses whole but for its losses', () => {
    fc.assert(
      fc.property(response, (given) => {
        const { http, losses } = codec.response.encode(given, exchange, env())
        const read = folded(codec.response.decode(http, exchange, env()))
        expect(answer(read)).toEqual(answer(applyLosses(given, losses)))
      }),
      { numRuns: 120 },
    )
  })

  test('any answer crosses as a stream but for its losses', () => {
    fc.assert(
      fc.property(response, (given) => {
        // As other wires give them: text letter by letter, and the calls when all else is said.
        const events = unfold(given, (text) => [...text])
        const late = (event: CompletionEvent): boolean => event.type === 'tool_call' || event.type === 'broken_call'
        const content = events.filter((event) => 'part' in event)
        const ordered = [...content.filter((event) => !late(event)), ...content.filter(late)]
        const encoder = codec.stream.encode(exchange, env())
        let text = ''
        for (const event of [...events.filter((e) => e.type === 'start'), ...ordered]) text += encoder.push(event)
        for (const event of events) if (event.type === 'usage' || event.type === 'finish') text += encoder.push(event)
        text += encoder.end()
        const decoder = codec.stream.decode(exchange, env())
        const read = folded([...decoder.push(new TextEncoder().encode(text)), ...decoder.end()])
        expect(answer(read)).toEqual(answer(applyLosses(given, encoder.losses)))
      }),
      { numRuns: 120 },
    )
  })
})
