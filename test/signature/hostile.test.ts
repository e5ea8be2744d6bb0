// Whatever is given and whatever a model writes is used, or refused with a coded error.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { FormatContext } from '../../src/signature/adapter.js'
import { chatAdapter } from '../../src/signature/chat-adapter.js'
import { jsonAdapter } from '../../src/signature/json-adapter.js'
import { predict } from '../../src/signature/predict.js'
import { react } from '../../src/signature/react.js'
import { loadProgram } from '../../src/signature/saved-program.js'
import { signature } from '../../src/signature/signature.js'
import { scriptedModel } from '../../src/testing/index.js'
import { responseOf } from '../../src/testing/scripted-turn.js'

const asked = signature(
  'h?: history, q?: string, o?: object{ a: string[] }, t?: tools, one?: tool -> answer?, n?: integer, calls?: tool_calls' as string,
)
const anything = fc.anything({ withDate: true, withMap: true, withBigInt: true, withNullPrototype: true })
const turn = fc.record(
  {
    inputs: anything,
    outputs: fc.oneof(anything, fc.record({ calls: anything })),
    message: anything,
    results: anything,
  },
  { requiredKeys: [] },
)
const inputs = fc.oneof(
  anything,
  fc.record(
    {
      h: fc.oneof(anything, fc.array(fc.oneof(turn, anything))),
      q: anything,
      o: anything,
      t: fc.oneof(anything, fc.array(anything)),
      one: anything,
    },
    { requiredKeys: [] },
  ),
)
const demos = fc.array(
  fc.oneof(anything, fc.record({ q: fc.string(), answer: anything, calls: anything }, { requiredKeys: [] })),
)

/** Runs what may fail, and lets only coded errors pass. */
async function coded(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
  }
}

test.each([chatAdapter, jsonAdapter])('$name: any inputs, histories and demos', async (adapter) => {
  await fc.assert(
    fc.asyncProperty(inputs, demos, fc.constantFrom('native', 'prompted'), async (given, examples, toolMode) => {
      const context = { toolMode, demos: examples } as FormatContext
      await coded(() => adapter.format(asked, given as object, context))
      await coded(() => adapter.format(asked, given as object, { toolMode } as FormatContext))
    }),
    { numRuns: 500 },
  )
})

test.each([chatAdapter, jsonAdapter])('$name: any answer, whole and streamed', async (adapter) => {
  const piece = fc.constantFrom(
    '[[ ## answer ## ]]',
    '[[ ## calls ## ]]',
    '[[ ## n ## ]]',
    '{"calls":',
    '[{"name":"f","args":',
    '"x"',
    '{',
    '}',
    ']',
    '\n',
    '```json\n',
    '1',
  )
  const answer = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
  )
  await fc.assert(
    fc.asyncProperty(answer, fc.constantFrom('native', 'prompted'), async (text, mode) => {
      await coded(() => adapter.parse(asked, responseOf({ text }, 0, 'm'), { mode: mode as 'native' }))
      const reader = adapter.readFields?.(asked.outputs)
      for (const character of text) reader?.push(character)
      reader?.end()
    }),
    { numRuns: 500 },
  )
})

test('any saved program, inputs of an agent, and options', async () => {
  const model = scriptedModel(() => ({ calls: [{ name: 'submit', args: { answer: 'x' } }] }))
  const plain = signature('q?: string, t?: tools -> answer' as string)
  await fc.assert(
    fc.asyncProperty(anything, inputs, anything, async (saved, given, option) => {
      await coded(() => loadProgram(predict(plain), saved))
      await coded(() => react(plain, { model, tools: option as never, demos: saved as never })(given as never))
      await coded(() => predict(plain, { model, maxOutputRetries: 0, demos: option as never })(given as never))
    }),
    { numRuns: 100 },
  )
})

test('no input reaches a prototype', async () => {
  const hostile: unknown = JSON.parse('{"q":"x","o":{"a":["y"]},"__proto__":{"polluted":true}}')
  await coded(() => chatAdapter.format(asked, hostile as object))
  await coded(() =>
    chatAdapter.parse(asked, responseOf({ text: '{"answer":"a","__proto__":{"polluted":true}}' }, 0, 'm')),
  )
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})
