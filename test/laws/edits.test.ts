// Laws 11 and 12: what was edited is what is sent, and opaque values go home and nowhere else.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message, Origin, Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { holds } from './cases.js'
import { differences, memberOf, valueAt } from './comparable.js'
import { requests } from './requests.js'
import { bodyOf, pairs, type Subject, subjects, vendors } from './subjects.js'

const decodedRequests = ({ codec, env, wire }: Subject): fc.Arbitrary<CompletionRequest> =>
  requests({ histories: 'paired', realistic: true, wires: [wire] }).map((request) => {
    const { http } = codec.request.encode(request, { stream: false }, env)
    return codec.request.decode(http, env).request
  })

interface TextPlace {
  readonly message: number
  readonly part: number
}

function textPlaces(request: CompletionRequest): readonly TextPlace[] {
  return request.messages.flatMap((message, index) => {
    if (message.role === 'tool') return []
    return message.content.flatMap((part, place) => (part.type === 'text' ? [{ message: index, part: place }] : []))
  })
}

function withText(request: CompletionRequest, place: TextPlace, text: string): CompletionRequest {
  const messages = request.messages.map((message, index) => {
    if (index !== place.message || message.role === 'tool') return message
    const content = message.content.map((part, at) =>
      at === place.part && part.type === 'text' ? { ...part, text } : part,
    )
    return { ...message, content } as Message
  })
  return { ...request, messages }
}

const temperaturePath: Readonly<Record<Wire, string | undefined>> = {
  'openai-chat': '/temperature',
  'openai-responses': '/temperature',
  anthropic: undefined,
  ollama: '/options/temperature',
  gemini: '/generationConfig/temperature',
}

describe.each(subjects)('law 11 on $wire', (subject) => {
  const { wire, codec, env } = subject
  const send = (request: CompletionRequest) => codec.request.encode(request, { stream: false }, env)

  test('another model changes the model and nothing else', () => {
    holds(
      `11 ${wire}`,
      60,
      fc.property(decodedRequests(subject), (request) => {
        const before = send(request).http
        const after = send({ ...request, model: 'm-edited' }).http
        const changed = differences(bodyOf(before), bodyOf(after))
        if (wire === 'gemini') expect([changed, after.path.includes('m-edited')]).toEqual([[], true])
        else expect([changed, valueAt(bodyOf(after), '/model')]).toEqual([['/model'], 'm-edited'])
      }),
    )
  })

  test('another text changes that text and nothing else', () => {
    holds(
      `11 ${wire}`,
      100,
      fc.property(decodedRequests(subject), fc.nat({ max: 1000 }), (request, nat) => {
        const places = textPlaces(request)
        const place = places[nat % Math.max(1, places.length)]
        if (place === undefined) return
        const before = bodyOf(send(request).http)
        const after = bodyOf(send(withText(request, place, 'EDITED BY HAND')).http)
        const changed = differences(before, after)
        expect(changed).toHaveLength(1)
        expect(String(valueAt(after, changed[0] ?? ''))).toContain('EDITED BY HAND')
      }),
    )
  })

  test('another setting changes that setting and nothing else', () => {
    holds(
      `11 ${wire}`,
      60,
      fc.property(decodedRequests(subject), (request) => {
        const { temperature: _, ...rest } = request
        const before = bodyOf(send({ ...rest, temperature: 0.25 }).http)
        const edited = send({ ...rest, temperature: 0.75 })
        const path = temperaturePath[wire]
        expect(differences(before, bodyOf(edited.http))).toEqual(path === undefined ? [] : [path])
        if (path === undefined) expect(edited.losses.map((loss) => loss.path)).toContain('/temperature')
      }),
    )
  })
})

/** The history with a mark that cannot be missed in every opaque value of one wire. */
function marked(messages: readonly Message[], wire: Wire): { messages: readonly Message[]; marks: readonly string[] } {
  const marks: string[] = []
  const text = JSON.stringify(messages, (_, value: unknown) => {
    const origin = typeof value === 'object' && value !== null ? memberOf(value, 'origin') : undefined
    if (origin === undefined || (origin as { wire?: Wire }).wire !== wire) return value
    const data = memberOf(value as object, 'data')
    if (data === undefined) return value
    const mark = `Q0FOQVJZ${marks.length}x`
    marks.push(mark)
    return { ...(value as object), data: JSON.parse(markedText(JSON.stringify(data), mark)) as unknown }
  })
  return { messages: JSON.parse(text) as Message[], marks }
}

/** Tokens of test/laws/realistic.ts begin with the base64 of `sig`. */
function markedText(text: string, mark: string): string {
  return text.replaceAll('c2ln', `c2ln${mark}`)
}

describe('law 12', () => {
  const foreign = pairs.filter(({ from, to }) => from.wire !== to.wire)
  test.each(foreign)('$name: opaque values stay at home and come back whole', ({ from, to, name }) => {
    holds(
      `12 ${name}`,
      30,
      fc.property(requests({ histories: 'paired', realistic: true, wires: [from.wire], extra: false }), (request) => {
        const { messages, marks } = marked(request.messages, from.wire)
        const own = { ...request, messages }
        const home = from.codec.request.encode(own, { stream: false }, from.env).http
        const away = JSON.stringify(bodyOf(to.codec.request.encode(own, { stream: false }, to.env).http))
        for (const mark of marks) expect(away).not.toContain(mark)
        const again = from.codec.request.encode(own, { stream: false }, from.env).http
        expect(again.body).toEqual(home.body)
      }),
    )
  })

  test.each([...subjects, ...vendors])('$name: an opaque value goes back to who made it, and only there', (subject) => {
    const { wire, name, codec, env } = subject
    let sent = 0
    holds(
      `12 ${name}`,
      50,
      fc.property(requests({ histories: 'paired', realistic: true, wires: [wire], extra: false }), (request) => {
        const { messages } = marked(request.messages, wire)
        const body = JSON.stringify(bodyOf(codec.request.encode({ ...request, messages }, { stream: false }, env).http))
        for (const { origin, mark } of marksIn(messages)) {
          const { provider = env.profile.name, model = request.model } = origin
          if (provider !== env.profile.name || model !== request.model) expect(body).not.toContain(mark)
          else if (body.includes(mark)) sent += 1
        }
      }),
    )
    // Ollama's native wire has no continuations: nothing to bring home.
    if (wire !== 'ollama') expect(sent).toBeGreaterThan(0)
  })
})

/** Every marked opaque value of a history. */
function marksIn(value: unknown): readonly { readonly origin: Origin; readonly mark: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const origin = memberOf(value, 'origin')
  const mark = /Q0FOQVJZ\d+x/.exec(JSON.stringify(memberOf(value, 'data') ?? ''))?.[0]
  if (origin !== undefined && mark !== undefined) return [{ origin: origin as Origin, mark }]
  return Object.values(value).flatMap(marksIn)
}
