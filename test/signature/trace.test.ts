// What is kept of a call, and of a program, for files that DSPy reads too.
import { expect, test } from 'vitest'
import { chainOfThought, predict } from '../../src/signature/predict.js'
import { react } from '../../src/signature/react.js'
import { loadProgram, saveProgram } from '../../src/signature/saved-program.js'
import { exportTrace } from '../../src/signature/trace.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { failureOf } from './failure.js'

const add = tool({
  name: 'add',
  description: 'Adds two whole numbers',
  input: { type: 'object', properties: { a: { type: 'integer' } } },
  execute: ({ a }) => a,
})

test('a call is exported with its inputs, outputs and rendered messages', async () => {
  const model = scriptedModel([{ text: '[[ ## answer ## ]]\nParis', usage: { input: 9, output: 1, total: 10 } }])
  const result = await predict('"Be brief." q -> answer', { model })({ q: 'Capital?' })
  const exported = exportTrace(result.trace)
  expect(exported).toEqual({
    module: 'predict',
    signature: '"Be brief." q: string -> answer: string',
    instructions: 'Be brief.',
    inputs: { q: 'Capital?' },
    outputs: { answer: 'Paris' },
    model: 'scripted',
    adapter: 'chat',
    messages: [
      { role: expect.stringMatching(/system|developer/), content: expect.stringContaining('Be brief.') },
      { role: 'user', content: '[[ ## q ## ]]\nCapital?' },
    ],
    response: { role: 'assistant', content: '[[ ## answer ## ]]\nParis' },
    usage: { input: 9, output: 1, total: 10 },
    model_calls: 1,
  })
  expect(JSON.parse(JSON.stringify(exported))).toEqual(exported)
})

test('tools are exported by what the model saw, calls in the form of Chat Completions', async () => {
  const model = scriptedModel([
    { calls: [{ name: 'add', args: { a: 1 } }] },
    { calls: [{ name: 'submit', args: { answer: 'x' } }] },
  ])
  const result = await react('q, t: tools -> answer', { model })({ q: '?', t: [add] })
  const exported = exportTrace(result.trace)
  expect(exported).toMatchObject({
    module: 'react',
    inputs: { q: '?', t: [{ name: 'add', inputSchema: { type: 'object' } }] },
    outputs: { answer: 'x' },
    tools: [
      { type: 'function', function: { name: 'add' } },
      { type: 'function', function: { name: 'submit' } },
    ],
    model_calls: 2,
  })
  const roles = (exported.messages as readonly { role: string }[]).map(({ role }) => role)
  expect(roles.slice(1)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
})

test('demos and instruction are saved and loaded', async () => {
  const demos = [
    { q: 'one', answer: 'uno', n: 1 },
    { q: 'two', answer: 'dos' },
  ]
  const program = predict('"Translate." q "a word" -> answer, n?: integer', { demos })
  const saved = JSON.parse(JSON.stringify(saveProgram(program))) as { demos: unknown }
  expect(saved).toEqual({
    traces: [],
    train: [],
    demos,
    signature: {
      instructions: 'Translate.',
      fields: [
        { prefix: 'Q:', description: 'a word' },
        { prefix: 'Answer:', description: `\${answer}` },
        { prefix: 'N:', description: `\${n}` },
      ],
    },
    lm: null,
    metadata: {
      dependency_versions: {},
      toolwire: { module: 'predict', signature: '"Translate." q: string "a word" -> answer: string, n?: integer' },
    },
  })
  const model = scriptedModel(['[[ ## answer ## ]]\ntres'])
  const loaded = loadProgram(predict('q -> answer, n?: integer', { model }), saved)
  expect(loaded.demos).toEqual(demos)
  expect(loaded.signature.instruction).toBe('Translate.')
  await loaded({ q: 'three' })
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('uno')
})

test('a chain of thought and an agent are saved and loaded, too', () => {
  const demos = [{ q: 'one', reasoning: 'r', answer: 'uno' }]
  const saved = saveProgram(chainOfThought('"Think." q -> answer', { demos }))
  expect(saved).toMatchObject({ predict: { demos }, metadata: { toolwire: { module: 'chain_of_thought' } } })
  const loaded = loadProgram(chainOfThought('q -> answer'), saved)
  expect([loaded.demos, loaded.signature.instruction]).toEqual([demos, 'Think.'])
  const agent = loadProgram(
    react('q -> answer'),
    saveProgram(react('"Act." q -> answer', { demos: [{ q: 'a', answer: 'b' }] })),
  )
  expect([agent.demos, agent.signature.instruction]).toEqual([[{ q: 'a', answer: 'b' }], 'Act.'])
})

test('a state that DSPy saved is loaded: what is no field is left out', () => {
  const saved = {
    demos: [{ augmented: true, reasoning: 'r', q: 'one', answer: 'uno', other: null }],
    signature: { instructions: 'Do.' },
  }
  expect(loadProgram(chainOfThought('q -> answer'), saved).demos).toEqual([{ reasoning: 'r', q: 'one', answer: 'uno' }])
})

test.each([
  [null, 'the saved program cannot be read: "" is not an object'],
  [{}, 'the saved program cannot be read: "/demos" is not a list'],
  [{ demos: [5] }, 'the saved program cannot be read: "/demos/0" is not an object'],
  [
    { demos: [{ q: 5 }] },
    'the saved program cannot be read: "/demos/0" the value of "q" cannot be used: must be a string',
  ],
])('a file that is no saved program is refused: %j', async (saved, message) => {
  const error = await failureOf(() => loadProgram(predict('q -> answer'), saved))
  expect({ code: error.code, message: error.message }).toEqual({ code: 'invalid_request', message })
})

test('a dangerous key in a saved program reaches no prototype', () => {
  const saved: unknown = JSON.parse(
    '{"demos":[{"q":"one","answer":"uno","__proto__":{"polluted":true}}],"__proto__":{"x":1}}',
  )
  const [demo] = loadProgram(predict('q -> answer'), saved).demos
  expect(demo).toEqual({ q: 'one', answer: 'uno' })
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})
