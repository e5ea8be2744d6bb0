// "Do not think" in the words of each wire: it means the same on every other, and comes back as it was said.
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { subjects } from '../laws/subjects.js'

interface Said {
  readonly model: string
  /** Members of the body. */
  readonly members: JsonObject
}
const messages = [{ role: 'user', content: 'hi' }]
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const budget = { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }

/** What stands on a wire for a model of it, when it stands there for the first time. */
const words: Readonly<Record<Wire, Said>> = {
  'openai-chat': { model: 'gpt-5.1', members: { reasoning_effort: 'none' } },
  'openai-responses': { model: 'gpt-5.1', members: { reasoning: { effort: 'none' } } },
  anthropic: { model: 'claude-sonnet-5-5', members: { thinking: { type: 'disabled' } } },
  ollama: { model: 'qwen3', members: { think: false } },
  gemini: { model: 'gemini-2.5-flash', members: budget },
}

function codecOf(wire: Wire): (typeof subjects)[number] {
  const subject = subjects.find((known) => known.wire === wire)
  if (subject === undefined) throw new Error(`there is no codec for ${wire}`)
  return subject
}

function bodyOf(wire: Wire, { model, members }: Said): JsonObject {
  if (wire === 'gemini') return { ...members, contents }
  const named = { model, ...members }
  if (wire === 'openai-responses') return { ...named, input: messages }
  if (wire === 'ollama') return { stream: false, ...named, messages }
  return wire === 'anthropic' ? { max_tokens: 1024, ...named, messages } : { ...named, messages }
}

function decoded(wire: Wire, said: Said) {
  const { codec, env } = codecOf(wire)
  const path = wire === 'gemini' ? `/v1beta/models/${said.model}:generateContent` : '/'
  const http = { method: 'POST', path, headers: {}, body: JSON.stringify(bodyOf(wire, said)) }
  return codec.request.decode(http, env).request
}

/** What was said, as it stands on a wire for a model there, and what of it was lost. */
function written(from: Wire, said: Said, to: Wire, model: string) {
  const { codec, env } = codecOf(to)
  const { http, losses } = codec.request.encode({ ...decoded(from, said), model }, { stream: false }, env)
  return { body: JSON.parse(bodyText(http.body)), losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

describe.each(wires)('%s', (from) => {
  test.each(wires)('is told not to think on %s', (to) => {
    const { body, losses } = written(from, words[from], to, words[to].model)
    expect(body).toMatchObject(words[to].members)
    expect(losses.filter((loss) => loss.includes('reasoning') || loss.includes('extra'))).toEqual([])
  })
})

test.each<[Wire, string, JsonObject]>([
  ['anthropic', 'claude-sonnet-5-5', { thinking: { type: 'disabled' }, output_config: { effort: 'low' } }],
  ['anthropic', 'claude-sonnet-5-5', { thinking: { type: 'disabled', display: 'omitted' } }],
  ['anthropic', 'claude-fable-5-1', { thinking: { type: 'disabled' } }],
  ['gemini', 'gemini-3.5-pro', budget],
  ['gemini', 'gemini-2.5-pro', budget],
  ['gemini', 'gemini-2.5-flash', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
])('%s, %s: %j comes back as it was said', (wire, model, members) => {
  const said = { model, members }
  expect(written(wire, said, wire, model)).toEqual({ body: bodyOf(wire, said), losses: [] })
})

test('what was switched off can be switched on again', () => {
  const members = { thinking: { type: 'disabled' } }
  const request = { ...decoded('anthropic', { model: 'claude-fable-5-1', members }), reasoning: { effort: 'high' } }
  const { codec, env } = codecOf('anthropic')
  const body = JSON.parse(bodyText(codec.request.encode(request, { stream: false }, env).http.body))
  expect([body.thinking, body.output_config]).toEqual([undefined, { effort: 'high' }])
})
