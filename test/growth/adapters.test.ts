// What reads a conversation outside a gateway: LangChain's messages and the strict provider server. Twice as many calls cost about
// twice as much.
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { fromLangChainMessages } from '../../src/langchain/index.js'
import { refusalOf } from '../../src/testing/provider-checks.js'
import { createSigner } from '../../src/testing/provider-signatures.js'
import { codecs } from '../../src/wire/index.js'
import { addressOf, clientBody } from './gateway-pairs.js'
import { growthOver, linearPerDoubling } from './processor-time.js'
import { histories, settings } from './request-shapes.js'
import { envOf } from './sample-streams.js'

function times<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

const callsOf = (count: number) =>
  times(count, (index) => ({ type: 'tool_call' as const, id: `call_${index}`, name: 'look', args: { index } }))
const chunksOf = (count: number) =>
  callsOf(count).map(({ args, ...call }, index) => {
    return { ...call, type: 'tool_call_chunk' as const, index, args: JSON.stringify(args) }
  })
const invalidOf = (count: number) =>
  callsOf(count).map((call) => ({ ...call, type: 'invalid_tool_call' as const, args: '{"index"', error: 'cut' }))
const resultsOf = (count: number) =>
  callsOf(count).map(({ id, name }) => new ToolMessage({ tool_call_id: id, name, content: 'found' }))

describe('reading messages of LangChain', () => {
  const turns = {
    'calls whose blocks come in reverse': (count: number) => {
      const blocks = callsOf(count).map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
      return new AIMessage({ content: blocks.toReversed(), tool_calls: callsOf(count) })
    },
    'invalid calls whose blocks come in reverse': (count: number) => {
      const blocks = invalidOf(count).toReversed()
      return new AIMessage({ content: blocks, invalid_tool_calls: invalidOf(count) })
    },
    'chunks of calls in reverse': (count: number) => {
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [] })
      message.tool_calls = callsOf(count)
      message.tool_call_chunks = chunksOf(count).toReversed()
      return message
    },
    'chunks of invalid calls in reverse': (count: number) => {
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [] })
      message.invalid_tool_calls = invalidOf(count)
      message.tool_call_chunks = chunksOf(count).toReversed()
      return message
    },
  }

  test.each(Object.entries(turns))('%s: the cost grows with their number', async (_, turnOf) => {
    const growth = await growthOver(1_500, (count) => {
      const messages = [new HumanMessage('Look.'), turnOf(count), ...resultsOf(count)]
      return () => {
        const { messages: read } = fromLangChainMessages(messages)
        expect(read[1]?.role === 'assistant' && read[1].content).toHaveLength(count)
      }
    })
    expect(growth.ratio, String(growth.milliseconds)).toBeLessThan(linearPerDoubling)
  })
})

describe('the checks of a strict provider server', () => {
  const shapes = { ...histories, ...settings }
  const long = [
    'alternating turns',
    'rounds of calls',
    'calls of a turn',
    'calls with the same id',
    'results in reverse',
    'results of one call',
    'reasoning and texts in turn',
    'tools',
    'tools of the same name',
    'allowed tools',
  ]
  const cases = Object.values(codecs).flatMap((codec) => long.map((name) => [codec.wire, name] as const))

  test.each(cases)('%s: %s', async (wire, name) => {
    const shape = shapes[name]
    if (shape === undefined) throw new Error(`there is no shape "${name}"`)
    const codec = codecs[wire]
    const growth = await growthOver(shape.size / 4, (length) => {
      const body = clientBody(wire, shape.build(length), false)
      const raw = { method: 'POST', ...addressOf(wire, false), headers: {}, body } as const
      const decoded = codec.request.decode(raw, envOf(codec))
      const signer = createSigner()
      return () => refusalOf(decoded, raw, signer, () => true)
    })
    expect(growth.ratio, String(growth.milliseconds)).toBeLessThan(linearPerDoubling)
  })
})
