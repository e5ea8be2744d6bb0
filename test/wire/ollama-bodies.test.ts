// Bodies that are not streamed on the Ollama wire: what counts as a response, and which error everything else becomes.
import { describe, expect, test } from 'vitest'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { ollamaCodec as codec } from '../../src/wire/ollama/index.js'
import { profiles } from '../../src/wire/ollama/profiles.js'

const env: Env = { profile: profiles.ollama ?? { name: 'ollama', wire: 'ollama' }, createdSeconds: 1e9, deltas: false }
const exchange: Exchange = { wire: 'ollama', model: 'qwen3', provider: 'ollama', stream: false }

function read(body: string, status = 200): Folded {
  const folder = createFolder()
  for (const event of codec.response.decode({ status, headers: {}, body }, exchange, env)) folder.push(event)
  return folder.done()
}

const message = { role: 'assistant', content: 'Hi' }

describe('a body is a response', () => {
  test.each<[string, object, object]>([
    ['with a message', { model: 'm', message, done: true, done_reason: 'stop' }, { text: 'Hi', finishReason: 'stop' }],
    [
      'with no message but done',
      { model: 'm', done: true, done_reason: 'load' },
      { text: '', rawFinishReason: 'load' },
    ],
    ['with a message and an empty error', { message, done: true, error: '' }, { text: 'Hi', finishReason: 'stop' }],
  ])('%s', (_, body, expected) => {
    const { response, error } = read(JSON.stringify(body))
    expect(error).toBeUndefined()
    expect(response).toMatchObject(expected)
  })
})

describe('a body is a typed error', () => {
  test.each<[string, string, string, string]>([
    ['with neither message nor done', '{"model":"m"}', 'malformed_response', 'message'],
    ['with done that is not true', '{"model":"m","done":false}', 'malformed_response', 'message'],
    ['with a message that is text', '{"message":"Hi","done":"yes"}', 'malformed_response', 'message'],
    ['with an error and no message', '{"error":"out of memory"}', 'server_error', 'out of memory'],
    ['with an empty error and no message', '{"error":""}', 'server_error', ''],
    ['with an error beside a message', JSON.stringify({ message, error: 'it broke' }), 'server_error', 'it broke'],
    ['with a message but not done', JSON.stringify({ message }), 'truncated', ''],
    ['that is an array', '[{"done":true}]', 'malformed_response', 'message'],
  ])('%s', (_, body, code, text) => {
    const { error } = read(body)
    expect(error?.code).toBe(code)
    expect(error?.message).toContain(text)
  })

  test('whose status is an error, whatever its body says', () => {
    expect(read(JSON.stringify({ message, done: true }), 400).error?.code).toBe('invalid_request')
    expect(read('{"error":"model is required"}', 400).error?.message).toContain('model is required')
  })
})

describe('a stream where a single object was requested', () => {
  const lines = [
    { model: 'm', message: { role: 'assistant', content: 'He' }, done: false },
    { model: 'm', message: { role: 'assistant', content: 'llo' }, done: false },
    { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
  ].map((line) => JSON.stringify(line))

  test.each([
    ['with newlines', '\n'],
    ['with carriage returns', '\r\n'],
  ])('is read %s', (_, newline) => {
    const { response, error } = read(lines.join(newline) + newline)
    expect(error).toBeUndefined()
    expect(response).toMatchObject({ text: 'Hello', finishReason: 'stop' })
  })

  test('is truncated without its last line, with what came before', () => {
    const { response, error } = read(`${lines.slice(0, 2).join('\n')}\n`)
    expect(error?.code).toBe('truncated')
    expect(response.text).toBe('Hello')
  })

  test('is not assumed for a page whose lines happen to hold JSON', () => {
    expect(read(`<pre>\n${lines.join('\n')}\n</pre>`).error?.code).toBe('malformed_response')
    expect(read(`{oops\n${lines.join('\n')}`).error?.code).toBe('malformed_response')
  })
})
