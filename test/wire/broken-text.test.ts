// Arguments that are no object, on wires that take objects only: carried as text, and never read as something that could run.
import { describe, expect, test } from 'vitest'
import type { BrokenCall } from '../../src/conversation/messages.js'
import { unfold } from '../../src/conversation/unfold.js'
import { responseOf } from '../laws/responses.js'
import { folded, halvesOf, readBody, readStream, streamed, subjects } from '../laws/subjects.js'

const texts = ['', ' ', '{"a":', '[1]', '"{}"', '{"rawInvalidInput":']
const objectWires = subjects.filter(({ wire }) => ['anthropic', 'ollama', 'gemini'].includes(wire))

function broken(id: string, text: string): BrokenCall {
  return { type: 'broken_call', id, name: 'search', arguments: text, reason: 'malformed' }
}

describe.each(objectWires)('on $wire', (subject) => {
  // the last call of an answer that was cut is broken whatever it says: the one before it shows what was read
  test.each(texts)('the broken text %j is read back as it was written', (text) => {
    const response = responseOf(
      { role: 'assistant', content: [broken('call_0', text), broken('call_1', text)] },
      'length',
    )
    const whole = halvesOf(subject, false)
    const { http } = subject.codec.response.encode(response, whole.server, subject.env)
    const stream = halvesOf(subject, true)
    const { bytes } = streamed(subject, stream.server, unfold(response))
    for (const read of [readBody(subject, whole.client, http), readStream(subject, stream.client, [bytes])]) {
      const { toolCalls, brokenCalls } = folded(read).response
      expect(toolCalls).toEqual([])
      expect(brokenCalls.map((call) => [call.id, call.arguments])).toEqual([
        ['call_0', text],
        ['call_1', text],
      ])
    }
  })
})
