// A long answer is written in steps: other requests are served between them.
import { expect, test } from 'vitest'
import { utf8 } from '../../src/frames/body.js'
import { createGateway } from '../../src/gateway/index.js'
import { ask } from './asking.js'

test('a long chunk of a stream is written in pieces, and others have their turn in between', async () => {
  const parts = Array.from({ length: 5_000 }, (_, n) => ({ text: `word ${n} ` }))
  const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
  async function* body(): AsyncGenerator<Uint8Array> {
    yield utf8(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const transport = async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: body() })
  const target = { wire: 'gemini', baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', transport } as const
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }] })
  const { body: answer } = await ask(gateway, 'openai-chat', { body: { stream: true } })
  let turns = 0
  let text = ''
  const decoder = new TextDecoder()
  const timer = setInterval(() => {
    turns += 1
  })
  for await (const piece of answer as ReadableStream<Uint8Array>) text += decoder.decode(piece, { stream: true })
  clearInterval(timer)
  expect(turns).toBeGreaterThanOrEqual(4)
  for (const word of ['word 0 ', 'word 999 ', 'word 1000 ', 'word 4999 ', '[DONE]']) expect(text).toContain(word)
})
