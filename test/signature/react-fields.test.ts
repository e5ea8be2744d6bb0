// What `react` streams of its outputs: the fields that are submitted, never the arguments of other tools that are called alike.
import { expect, test } from 'vitest'
import { react } from '../../src/signature/react.js'
import { tool } from '../../src/tools/define.js'
import { bench } from './wire-models.js'

const check = tool({
  name: 'check',
  description: 'Checks an answer before it is given',
  input: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] } as const,
  execute: () => 'fine',
})

test.each(['openai-chat', 'anthropic'] as const)('%s: an argument called like an output is no output', async (wire) => {
  await using on = await bench(wire, 'native', [
    { calls: [{ name: 'check', args: { answer: 'a draft' } }] },
    { calls: [{ name: 'submit', args: { answer: 'the answer' } }] },
  ])
  const stream = react('question -> answer: string', { model: on.model, tools: [check] }).stream({ question: '?' })
  const told: string[] = []
  for await (const event of stream) if (event.type === 'field_delta') told.push(`${event.field}: ${event.text}`)
  expect(await stream).toMatchObject({ kind: 'answer', outputs: { answer: 'the answer' }, calls: 2 })
  expect(told.map((text) => text.replace('answer: ', '')).join('')).toBe('the answer')
})
