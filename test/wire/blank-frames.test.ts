// Proxies and servers keep a stream alive with frames that carry nothing. Wherever they stand, the answer is the same.
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { foldAll, streamEvents } from '../streams/streamed.js'

const blanks = {
  'a data line without a value': 'data:\n\n',
  'a data line with white space': 'data: \t \n\n',
  'several empty data lines': 'data:\ndata:\n\n',
  'a comment': ': keep-alive\n\n',
  'a ping without data': 'event: ping\n\n',
  'a ping with an empty data line': 'event: ping\ndata:\n\n',
  'an empty data line with CRLF': 'data:\r\n\r\n',
}
const answer: readonly CompletionEvent[] = [
  { type: 'start', id: 'r_1', model: 'm-1' },
  { type: 'text_delta', part: 0, text: 'Let me ' },
  { type: 'text_delta', part: 0, text: 'look.' },
  { type: 'tool_call', part: 1, call: { type: 'tool_call', id: 'call_1', name: 'find', arguments: '{"q":"tide"}' } },
  { type: 'usage', usage: { input: 3, output: 4, total: 7 } },
  { type: 'finish', reason: 'tool_calls' },
]

describe.each(Object.values(codecs).filter(({ wire }) => wire !== 'ollama'))('$wire', (codec) => {
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const exchange = { wire: codec.wire, model: 'm-1', stream: true }
  const encoder = codec.stream.encode({ ...exchange, client: { includeUsage: true } }, env)
  const text = [...answer.map((event) => encoder.push(event)), encoder.end()].join('')
  const read = (stream: string) => {
    const events = streamEvents(codec, [new TextEncoder().encode(stream)], exchange, env)
    return { ...foldAll(events), unknown: events.filter(({ type }) => type === 'unknown') }
  }

  test.each(Object.entries(blanks))('%s between all frames changes nothing', (_, blank) => {
    const whole = read(text)
    expect(whole.error).toBeUndefined()
    expect(whole.response.toolCalls).toHaveLength(1)
    const frames = text.split(/(?<=\n\n|\r\n\r\n)/)
    expect(frames.length).toBeGreaterThan(2)
    expect(read(blank + frames.join(blank) + blank)).toEqual(whole)
  })

  test('a [DONE] with white space around it is no part of the answer', () => {
    expect(read(`${text}data:  [DONE] \n\n`)).toEqual(read(text))
  })
})
