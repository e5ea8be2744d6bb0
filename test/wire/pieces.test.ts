// Request bodies in pieces: what was written before is used again, and a body that was given out never changes.
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import type { Message } from '../../src/conversation/messages.js'
import { bodyBytes, bodyPieces, bodyText } from '../../src/frames/body.js'
import type { Codec } from '../../src/wire/codec.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const opening: readonly Message[] = [
  freeze({ role: 'system', content: [{ type: 'text', text: 'Be exact.' }] }),
  freeze({ role: 'user', content: [{ type: 'text', text: 'Read the files. 你好 👋' }] }),
]

function round(name: string): readonly Message[] {
  return [
    freeze({
      role: 'assistant',
      content: [{ type: 'tool_call', id: `call_${name}`, name: 'read', arguments: `{"path":"${name}"}` }],
    }),
    freeze({
      role: 'tool',
      results: [{ callId: `call_${name}`, name: 'read', isError: false, content: [{ type: 'text', text: name }] }],
    }),
  ]
}

function bodyOf(codec: Codec, messages: readonly Message[]) {
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  return codec.request.encode({ model: 'm', messages, maxTokens: 10 }, { stream: false }, env).http.body
}

describe.each(Object.values(codecs))('the body of a growing history on $wire', (codec) => {
  const fresh = (messages: readonly Message[]): string => bodyText(bodyOf(codec, structuredClone(messages)))

  test('what no later message can change is bytes, and the same bytes the next time', () => {
    const history = [...opening, ...round('a'), ...round('b')]
    const bytes = (messages: readonly Message[]) =>
      bodyPieces(bodyOf(codec, messages)).find((piece) => piece instanceof Uint8Array)
    const once = bytes(history)
    const twice = bytes(history)
    expect(once).toBeInstanceOf(Uint8Array)
    expect(twice?.buffer).toBe(once?.buffer)
  })

  test('two conversations that part ways do not write into each other', () => {
    const common = [...opening, ...round('a'), ...round('b')]
    const histories = [common]
    for (const name of ['c', 'd', 'e']) {
      histories.push([...common, ...round(name)], [...common, ...round(name), ...round(`${name}${name}`)])
      histories.push([...common, ...round(`${name}-other`), ...round('longer than the one before'), ...round('f')])
    }
    const bodies = histories.map((messages) => bodyOf(codec, messages))
    histories.forEach((messages, index) => {
      expect(bodyText(bodies[index] ?? '')).toBe(fresh(messages))
    })
  })
})

test('a body is the same as text and as bytes, whole or in pieces', () => {
  const bytes = new TextEncoder().encode('é"👋')
  const pieces = ['{"a":"', bytes, '}']
  expect(bodyText(pieces)).toBe('{"a":"é"👋}')
  expect(bodyText(bodyBytes(pieces))).toBe('{"a":"é"👋}')
  expect(bodyText(bytes)).toBe('é"👋')
  expect(bodyText([])).toBe('')
  expect(bodyBytes('x')).toEqual(new Uint8Array([120]))
})
