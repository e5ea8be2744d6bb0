// Laws of the Gemini codec on any conversation: encoding loses nothing without saying so, and reading back is a normal form.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { applyLosses } from '../../src/conversation/losses.js'
import { type AssistantPart, type Extra, isCall } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolChoice } from '../../src/conversation/request.js'
import type { CompletionResponse, FinishReason } from '../../src/conversation/response.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'
import { bodyOf, envOf, exchange, folded, streamed, streaming, strip } from './gemini-fixtures.js'

const env = envOf()
const runs = 100
const any = conversationArbitraries()
const own = conversationArbitraries({ wires: ['gemini'] })
const models = fc.constantFrom('gemini-2.5-flash', 'gemini-3.8-flash', 'm-1')
const histories = fc.oneof(any.messages, any.conversation, own.messages, own.conversation)

const names = ['get_weather', 'x.y', 'naïve tool', '__proto__', 'a'.repeat(140)]
const schemas = fc.constantFrom<JsonObject>(
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  {
    type: 'object',
    properties: { unit: { type: ['string', 'null'], enum: ['c', null] }, n: { type: 'array', maxItems: 3 } },
  },
  { properties: {} },
  { type: 'string' },
  { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
  {},
)
const notes = fc.constantFrom<Extra>(
  { gemini: { $parameters: true } },
  { gemini: { $parameters: { type: 'object', properties: { city: { type: 1 } }, required: ['city'] } } },
  { gemini: { $entry: true, behavior: 'BLOCKING' } },
  { anthropic: { cache_control: {} } },
)
const tools = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom(...names),
      description: fc.string(),
      inputSchema: schemas,
      strict: fc.boolean(),
      extra: notes,
    },
    { requiredKeys: ['name'] },
  ),
  { selector: (tool) => tool.name, minLength: 1, maxLength: 4 },
)
const choices = fc.oneof(
  fc.constantFrom<ToolChoice>('auto', 'none', 'required', { tool: 'x.y' }, { tool: 'naïve tool' }),
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
      fc.constantFrom('auto' as const, 'required' as const),
    )
    .map(([allowed, mode]): ToolChoice => ({ allowed, mode })),
)
const carried = fc.oneof(
  own.extra,
  any.extra,
  fc.constantFrom<Extra>(
    { gemini: { $mode: 'VALIDATED' } },
    { gemini: { $mode: 'AUTO', safetySettings: [{ category: 'x' }] } },
    {
      gemini: {
        generationConfig: { topK: 40, temperature: 1, thinkingConfig: { includeThoughts: true, thinkingBudget: 1 } },
      },
    },
    { gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY', streamFunctionCallArguments: true } } } },
    { gemini: { generationConfig: { responseMimeType: 'application/json' }, contents: [], cachedContent: 'c' } },
    { gemini: { $responseSchema: true, generationConfig: 1, toolConfig: {} } },
  ),
)
const settings = fc.record(
  {
    tools,
    toolChoice: choices,
    parallelToolCalls: fc.boolean(),
    output: fc.record({ schema: schemas, name: fc.string(), strict: fc.boolean() }, { requiredKeys: ['schema'] }),
    maxTokens: fc.nat(),
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0, 1),
    stop: fc.array(fc.string(), { maxLength: 2 }),
    reasoning: fc.record(
      {
        effort: fc.constantFrom('none', 'minimal', 'low', 'high', 'xhigh', 'odd'),
        budgetTokens: fc.constantFrom(-1, 0, 512),
      },
      { requiredKeys: [] },
    ),
    extra: carried,
  },
  { requiredKeys: [] },
)
const requests: fc.Arbitrary<CompletionRequest> = fc
  .tuple(models, histories, settings)
  .map(([model, messages, more]) => ({ model, messages, ...more }))

/** Nothing when the wire refuses the history as a whole. */
function sealed(request: CompletionRequest): CompletionRequest | undefined {
  try {
    return codec.seal(request, env).request
  } catch (error) {
    expect(ToolwireError.is(error) && error.code).toBe('invalid_request')
    return undefined
  }
}

describe('gemini: laws', () => {
  test('what is read back is the sealed request with the losses applied', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const whole = sealed(request)
        if (whole === undefined) return
        const encoded = codec.request.encode(whole, { stream: false }, env)
        const losses = encoded.losses.filter((loss) => loss.kind !== 'repaired')
        const back = codec.request.decode(encoded.http, env).request
        expect(strip(back)).toEqual(strip(applyLosses(whole, losses)))
      }),
      { numRuns: runs },
    )
  })

  test('sealing twice changes nothing more', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const once = sealed(request)
        if (once === undefined) return
        const twice = codec.seal(once, env)
        expect(twice.losses).toEqual([])
        expect(twice.request).toEqual(once)
      }),
      { numRuns: runs },
    )
  })

  test('what is read and written again is a normal form: a second pass changes no byte', () => {
    fc.assert(
      fc.property(requests, (request) => {
        if (sealed(request) === undefined) return
        const sent = codec.request.encode(request, { stream: true }, env)
        const first = codec.request.encode(codec.request.decode(sent.http, env).request, { stream: true }, env)
        const second = codec.request.encode(codec.request.decode(first.http, env).request, { stream: true }, env)
        expect(bodyOf(second)).toBe(bodyOf(first))
        expect(second.http.path).toBe(first.http.path)
      }),
      { numRuns: runs },
    )
  })

  test('a response, whole or streamed, is read back with its losses applied', () => {
    const parts = fc.array(fc.oneof(any.assistantPart, own.assistantPart), { maxLength: 5 })
    const ends = fc.constantFrom<FinishReason>('stop', 'length', 'content_filter', 'pause', 'error')
    fc.assert(
      fc.property(parts, ends, fc.boolean(), (content, reason, shuffled) => {
        const events = eventsOf(content, reason, shuffled)
        const { response } = folded(events)
        const whole = codec.response.encode(response, exchange, env)
        expect(comparable(folded(codec.response.decode(whole.http, exchange, env)).response)).toEqual(
          comparable(applyLosses(response, whole.losses)),
        )
        const encoder = codec.stream.encode(streaming, env)
        const text = events.map((event) => encoder.push(event)).join('') + encoder.end()
        expect(comparable(folded(streamed(text)).response)).toEqual(comparable(applyLosses(response, encoder.losses)))
      }),
      { numRuns: runs },
    )
  })
})

/** Law 2 holds up to white space between the tokens of arguments: a stream has them on one line. */
function comparable(response: CompletionResponse): unknown {
  const { losses: _, ...rest } = response
  const text = JSON.stringify(rest, (key, value: unknown) =>
    key === 'arguments' && typeof value === 'string' ? value.replaceAll(/[\r\n]/g, ' ') : value,
  )
  return strip(JSON.parse(text))
}

/** The events of an answer with these parts; shuffled: calls last, text in two pieces, signatures behind it. */
function eventsOf(
  content: readonly AssistantPart[],
  reason: FinishReason,
  shuffled: boolean,
): readonly CompletionEvent[] {
  const events: CompletionEvent[] = [{ type: 'start', id: 'r1', model: 'gemini-3.8-flash' }]
  const late: CompletionEvent[] = []
  content.forEach((value, part) => {
    if (isCall(value)) {
      if (shuffled) events.push({ type: 'tool_call_delta', part, id: value.id, name: value.name, text: '' })
      const list = shuffled ? late : events
      list.push(
        value.type === 'tool_call'
          ? { type: 'tool_call', part, call: value }
          : { type: 'broken_call', part, call: value },
      )
    } else if (value.type === 'opaque') events.push({ type: 'opaque', part, value })
    else {
      const of = value.type
      const { opaque, extra } = value
      const attach: CompletionEvent = {
        type: 'attach',
        part,
        of,
        ...(opaque === undefined ? {} : { opaque }),
        ...(extra === undefined ? {} : { extra }),
      }
      if (!shuffled) events.push(attach)
      for (const text of shuffled ? [value.text.slice(0, 1), value.text.slice(1)] : [value.text]) {
        events.push({ type: of === 'text' ? 'text_delta' : 'reasoning_delta', part, text })
      }
      if (shuffled) events.push(attach)
    }
  })
  const calls = content.some(isCall)
  return [...events, ...late, { type: 'finish', reason: reason === 'stop' && calls ? 'tool_calls' : reason, raw: 'x' }]
}
