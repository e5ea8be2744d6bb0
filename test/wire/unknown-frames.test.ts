// Frames that nobody knows, anywhere in a stream, change nothing of the answer and are handed on as they came. A body that is nothing
// but unknown JSON is an error.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { Json } from '../../src/json/types.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const files: Readonly<Record<Wire, readonly string[]>> = {
  'openai-chat': ['stream.text.sse', 'stream.tool.sse'],
  'openai-responses': ['stream.text.sse', 'stream.tool.sse'],
  anthropic: ['stream.text-tool.sse', 'stream.thinking-tool.sse'],
  ollama: ['stream.text.ndjson', 'stream.tool.ndjson'],
  gemini: ['stream.text-tool.sse', 'stream.thinking-tool.sse'],
}

const novel: readonly Json[] = [{}, { novel: 1 }, { type: 'novel.event', x: [1] }]
const noObjects: readonly Json[] = [null, true, 7, 'text']

const frameOf = (wire: Wire, value: Json): string =>
  wire === 'ollama' ? `${JSON.stringify(value)}\n` : `data: ${JSON.stringify(value)}\n\n`

function decode(wire: Wire, text: string): readonly CompletionEvent[] {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const machine = codec.stream.decode({ wire, model: 'm', stream: true }, env)
  return [...machine.push(new TextEncoder().encode(text)), ...machine.end()]
}

function fold(events: readonly CompletionEvent[]) {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done()
}

describe.each(wires.flatMap((wire) => files[wire].map((file) => ({ wire, file }))))(
  '$wire, $file',
  ({ wire, file }) => {
    const text = readFileSync(new URL(`../examples/${wire}/${file}`, import.meta.url), 'utf8')
    const separator = wire === 'ollama' ? '\n' : '\n\n'
    const frames = text.split(separator).filter((frame) => frame.trim() !== '')
    const clean = decode(wire, text)
    /** The stream with a frame in front of the one at an index; nothing follows what ends a stream. */
    const places = frames.map((_, index) => index)
    const withFrame = (index: number, value: Json): readonly CompletionEvent[] => {
      const before = frames.slice(0, index).map((frame) => frame + separator)
      const after = frames.slice(index).map((frame) => frame + separator)
      return decode(wire, [...before, frameOf(wire, value), ...after].join(''))
    }
    const isUnknown = ({ type }: CompletionEvent): boolean => type === 'unknown'

    // Gemini's chunks have no type: unknown members of one are metadata of the response.
    const objects = wire === 'gemini' ? [{}] : novel
    test.each([...objects, ...(wire === 'ollama' ? [] : noObjects)])(
      '%j changes nothing wherever it stands',
      (value) => {
        const known = clean.filter((event) => !isUnknown(event))
        for (const index of places) {
          const events = withFrame(index, value)
          expect([index, events.filter((event) => !isUnknown(event))]).toEqual([index, known])
          const told = events.filter(isUnknown).map((event) => (event.type === 'unknown' ? event.raw : undefined))
          // Behind the finish reason of a chat completion only its usage is looked at.
          if (index === 0) expect(told).toContainEqual(value)
          expect(fold(events).error).toBeUndefined()
        }
      },
    )

    if (wire === 'ollama') {
      test.each(noObjects)('%j is a malformed line, and what came before it is kept', (value) => {
        for (const index of places) {
          const { error } = fold(withFrame(index, value))
          expect([index, error?.code]).toEqual([index, 'malformed_response'])
        }
      })
    }

    test('text that is no JSON is a malformed response, and what came before it is kept', () => {
      const bad = wire === 'ollama' ? '{oops}\n' : 'data: {oops}\n\n'
      const at = Math.floor(frames.length / 2)
      const parts = [...frames.slice(0, at).map((frame) => frame + separator), bad]
      const broken = fold(decode(wire, parts.join('')))
      const whole = fold(clean)
      expect(broken.error?.code).toBe('malformed_response')
      expect(whole.response.text.startsWith(broken.response.text)).toBe(true)
    })
  },
)

describe.each(wires)('%s: a body', (wire) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const read = (body: string) =>
    fold(codec.response.decode({ status: 200, headers: {}, body }, { wire, model: 'm', stream: false }, env))

  test.each([...novel, ...noObjects, [], [1]])('that is %j is no response', (value) => {
    expect(read(JSON.stringify(value)).error?.code).toBe('malformed_response')
  })

  test.each(['', ' ', '{', '<html></html>', 'data:'])('that is %j is no JSON', (body) => {
    expect(read(body).error?.code).toBe('malformed_response')
  })
})
