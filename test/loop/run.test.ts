import { describe, expect, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { partialOf } from '../../src/conversation/fold.js'
import type { Message } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { RunOptions, Turn } from '../../src/loop/options.js'
import { run } from '../../src/loop/run.js'
import type { Model } from '../../src/model/model.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { ToolExecutor } from '../../src/tools/execute.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import { expectPaired } from './paired.js'

const add = tool({
  name: 'add',
  description: 'Adds two whole numbers',
  input: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
  },
  execute: ({ a, b }) => a + b,
})
const callAdd = (a: number, b: number): { name: string; args: { a: number; b: number } } => ({
  name: 'add',
  args: { a, b },
})

/** A model whose two methods do what they are told, for behaviour no script has. */
function brokenModel(behaviour: () => Promise<never> | never): Model {
  return {
    ...scriptedModel([]),
    complete: async () => behaviour(),
    stream: () => {
      throw new Error('not used')
    },
  }
}

describe('run', () => {
  test('runs the calls, tells the model the results and returns its answer', async () => {
    const model = scriptedModel([
      { text: 'Adding.', calls: [callAdd(1, 2), callAdd(3, 4)], usage: { input: 10, output: 5, total: 15 } },
      { text: 'Three and seven.', usage: { input: 20, output: 4, total: 24 } },
    ])
    const result = await run({ model, tools: [add], system: 'Be brief.', prompt: '1+2 and 3+4?', maxTokens: 100 })
    expect(result).toMatchObject({
      text: 'Three and seven.',
      stop: { reason: 'answer' },
      usage: { input: 30, output: 9, total: 39 },
      turns: 2,
      calls: 2,
      losses: [],
    })
    expect(result.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant'])
    expect(result.messages[3]).toMatchObject({
      role: 'tool',
      results: [
        { callId: 'call_1_1', content: [{ type: 'text', text: '3' }], isError: false },
        { callId: 'call_1_2', content: [{ type: 'text', text: '7' }], isError: false },
      ],
    })
    expect(model.requests[1]?.messages).toEqual(result.messages.slice(0, 4))
    expect(model.requests[0]).toMatchObject({ maxTokens: 100, tools: [{ name: 'add' }] })
    expect(model.requests[0]).not.toHaveProperty('toolChoice')
    expect(result.response?.id).toBe('response_2')
    expect(Conversation.from(JSON.parse(JSON.stringify(result.messages))).messages).toEqual(result.messages)
  })

  test('goes on from messages or a conversation, and does not repeat the system text', async () => {
    const first = await run({ model: scriptedModel(['Hello.']), system: 'Be brief.', prompt: 'Hi' })
    const model = scriptedModel(['Fine.', 'Fine.'])
    const next = await run({ model, system: 'Be brief.', messages: first.messages, prompt: 'How are you?' })
    expect(next.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
    const again = await run({ model, conversation: new Conversation(first.messages).user('How are you?') })
    expect(again.messages).toEqual(next.messages)
  })

  test('calls in the given history are never run; those without a result are answered as cancelled', async () => {
    let ran = 0
    const count = tool({
      name: 'count',
      description: 'Counts its own calls',
      input: { type: 'object' },
      execute: () => ++ran,
    })
    const messages: readonly Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'a', name: 'count', arguments: '{}' }] },
    ]
    const result = await run({ model: scriptedModel(['Done.']), tools: [count], messages })
    expect(ran).toBe(0)
    expect(result.messages[2]).toMatchObject({ results: [{ callId: 'a', error: { category: 'cancelled' } }] })
  })

  test('a registry is read once, and an executor can be shared', async () => {
    const registry = new ToolRegistry([add])
    const model = scriptedModel((_, index) => {
      if (index === 0) registry.remove('add')
      return index === 0 ? { calls: [callAdd(1, 1)] } : 'ok'
    })
    const result = await run({ model, tools: registry, prompt: 'go' })
    expect(result.messages[2]).toMatchObject({ results: [{ content: [{ type: 'text', text: '2' }] }] })
    const shared = await run({
      model: scriptedModel([{ calls: [callAdd(2, 2)] }, 'ok']),
      executor: new ToolExecutor([add]),
      prompt: 'go',
    })
    expect(shared.messages[2]).toMatchObject({ results: [{ content: [{ type: 'text', text: '4' }] }] })
  })

  test('a forced choice holds for the first turn only, unless it is asked for every turn', async () => {
    const choices = async (options: Partial<RunOptions>): Promise<unknown[]> => {
      const model = scriptedModel([{ calls: [callAdd(1, 1)] }, { calls: [callAdd(1, 2)] }, 'ok'])
      await run({ model, tools: [add], prompt: 'go', ...options })
      return model.requests.map((request) => request.toolChoice)
    }
    expect(await choices({ toolChoice: 'required' })).toEqual(['required', 'auto', 'auto'])
    expect(await choices({ toolChoice: { tool: 'add' } })).toEqual([{ tool: 'add' }, 'auto', 'auto'])
    const allowed = { allowed: ['add'], mode: 'required' } as const
    const free = { allowed: ['add'], mode: 'auto' }
    expect(await choices({ toolChoice: allowed })).toEqual([allowed, free, free])
    expect(await choices({ toolChoice: 'none' })).toEqual(['none', 'none', 'none'])
    expect(await choices({ toolChoice: 'required', forceEveryTurn: true })).toEqual([
      'required',
      'required',
      'required',
    ])
  })

  test('unknown tools, broken calls and calls without any tools are answered, and the model goes on', async () => {
    const model = scriptedModel([
      {
        calls: [{ name: 'nope' }, { name: 'add', args: '{"a":1' }],
        brokenCalls: [{ name: 'add', arguments: '{', reason: 'truncated' }],
      },
      'Sorry.',
    ])
    const result = await run({ model, prompt: 'go' })
    expect(result.stop.reason).toBe('answer')
    expect(result.messages[2]).toMatchObject({
      results: [
        { error: { category: 'resource_not_found' } },
        { error: { category: 'invalid_arguments' } },
        { error: { category: 'invalid_arguments' } },
      ],
    })
    expectPaired(result.messages)
  })

  test('onTurn sees every turn and is waited for', async () => {
    const turns: Turn[] = []
    let open = 0
    const model = scriptedModel([
      { calls: [callAdd(1, 1)], usage: { total: 3 } },
      { text: 'ok', usage: { total: 4 } },
    ])
    await run({
      model,
      tools: [add],
      prompt: 'go',
      onTurn: async (turn) => {
        open += 1
        await Promise.resolve()
        expect(open).toBe(1)
        open -= 1
        turns.push(turn)
      },
    })
    expect(turns.map(({ turn, calls, results, usage }) => [turn, calls.length, results.length, usage.total])).toEqual([
      [1, 1, 1, 3],
      [2, 0, 0, 7],
    ])
  })

  test('a pause of the model is not an answer', async () => {
    const result = await run({ model: scriptedModel([{ text: 'a', finishReason: 'pause' }, 'b']), prompt: 'go' })
    expect([result.text, result.turns]).toEqual(['b', 2])
  })

  test('an answer that was cut or filtered says so, and an empty one is an answer', async () => {
    const stopOf = async (turn: object): Promise<unknown> =>
      (await run({ model: scriptedModel([turn]), prompt: 'go' })).stop
    expect(await stopOf({ text: 'a', finishReason: 'length' })).toEqual({ reason: 'answer', detail: 'length' })
    expect(await stopOf({ finishReason: 'content_filter' })).toEqual({ reason: 'answer', detail: 'content_filter' })
    expect(await stopOf({})).toEqual({ reason: 'answer' })
  })
})

describe('failures', () => {
  test.each([
    ['an Error', new Error('boom'), 'server_error'],
    ['a typed error', new ToolwireError('rate_limited', 'slow down'), 'rate_limited'],
    ['undefined', undefined, 'server_error'],
    ['text', 'boom', 'server_error'],
  ])('a model that throws %s ends the run with an error', async (_, error, code) => {
    const result = await run({
      model: scriptedModel([{ calls: [callAdd(1, 1)] }, { error }]),
      tools: [add],
      prompt: 'go',
    })
    expect(result.stop).toMatchObject({ reason: 'error', error: { code } })
    expect([result.turns, result.messages.length]).toEqual([2, 3])
    expect(JSON.parse(JSON.stringify(result.stop))).toMatchObject({ error: { code } })
  })

  test('a model that throws at once, or gives no readable answer, ends the run with an error', async () => {
    const synchronous = brokenModel(() => {
      throw new Error('at once')
    })
    expect((await run({ model: synchronous, prompt: 'go' })).stop).toMatchObject({ reason: 'error' })
    for (const answer of [
      undefined,
      null,
      'text',
      {},
      { message: { role: 'user', content: [] }, finishReason: 'stop' },
    ]) {
      const model = { ...scriptedModel([]), complete: async () => answer } as unknown as Model
      expect((await run({ model, prompt: 'go' })).stop).toMatchObject({ error: { code: 'malformed_response' } })
    }
  })

  test('a foreign model whose call has no JSON object for arguments has it answered, not run', async () => {
    const content = ['', '{"a":', '[1]'].map((text, index) => ({
      type: 'tool_call',
      id: `c${index}`,
      name: 'add',
      arguments: text,
    }))
    const scripted = scriptedModel(['ok'])
    let asked = 0
    const complete: Model['complete'] = async (request, options) =>
      asked++ === 0
        ? ({ id: '1', model: 'm', message: { role: 'assistant', content }, finishReason: 'tool_calls' } as never)
        : scripted.complete(request, options)
    const result = await run({ model: { ...scripted, complete }, tools: [add], prompt: 'go' })
    expect(result.stop.reason).toBe('answer')
    const [, answer] = result.messages
    expect(answer).toMatchObject({
      content: [{ type: 'tool_call', arguments: '{}' }, { type: 'broken_call' }, { type: 'broken_call' }],
    })
    expectPaired(result.messages)
  })

  test.each([true, false])(
    'a failed answer is in the error and not in the messages (streamed: %s)',
    async (streamed) => {
      const model = scriptedModel([{ text: 'Partial answer here', cutAfter: 3 }])
      const result = await (streamed ? run.stream({ model, prompt: 'go' }) : run({ model, prompt: 'go' }))
      const { error } = result.stop
      expect(error?.code).toBe('truncated')
      expect(error && partialOf(error)?.text).toBe('Partial answer h')
      expect(result.messages).toHaveLength(1)
    },
  )

  test('a stream that ends without saying so is truncated, and one that says error is an error', async () => {
    const silent = scriptedModel([{ text: 'x' }])
    const model: Model = {
      ...silent,
      stream: () =>
        (async function* () {
          yield { type: 'text_delta', part: 0, text: 'x' } as const
        })() as never,
    }
    expect((await run.stream({ model, prompt: 'go' })).stop.error?.code).toBe('truncated')
    const failed = await run({ model: scriptedModel([{ text: 'x', finishReason: 'error' }]), prompt: 'go' })
    expect(failed.stop.error?.code).toBe('server_error')
    expect([failed.messages.length, failed.text]).toEqual([1, ''])
  })

  test('a hook that throws ends the run with an error and a paired history', async () => {
    const result = await run({
      model: scriptedModel([{ calls: [callAdd(1, 1)] }, 'ok']),
      tools: [add],
      prompt: 'go',
      onTurn: () => Promise.reject(undefined),
    })
    expect(result.stop).toMatchObject({
      reason: 'error',
      error: { code: 'misuse', message: 'the onTurn hook failed: it gave no reason' },
    })
    expectPaired(result.messages)
  })
})

describe('misuse', () => {
  const model = scriptedModel([])
  test.each<[string, object, string]>([
    ['no model', { prompt: 'x' }, 'needs a model'],
    ['nothing to ask', { model }, 'nothing to ask'],
    ['messages and a conversation', { model, messages: [], conversation: new Conversation() }, 'either messages or'],
    ['tools and an executor', { model, prompt: 'x', tools: [], executor: new ToolExecutor([]) }, 'either tools or'],
    ['a limit of nothing', { model, prompt: 'x', maxTurns: 0 }, 'maxTurns is 0'],
    ['a limit that is no number', { model, prompt: 'x', timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
    ['an executor option that makes no sense', { model, prompt: 'x', concurrency: 0 }, 'concurrency is 0'],
    ['a forced choice without tools', { model, prompt: 'x', toolChoice: 'required' }, 'no tools'],
    [
      'a choice of a tool that is not there',
      { model, prompt: 'x', tools: [add], toolChoice: { tool: 'sub' } },
      '"sub"',
    ],
    ['approvals without a state', { model, prompt: 'x', approvals: { a: 'allow' } }, 'no call "a" waits'],
    ['no options', undefined as unknown as object, 'needs a model'],
    ['tools that are no list', { model, prompt: 'x', tools: 'x' }, 'needs a list of tools'],
    ['an executor that is none', { model, prompt: 'x', executor: {} }, 'must be a ToolExecutor'],
    ['a signal that is none', { model, prompt: 'x', signal: {} }, 'must be an AbortSignal'],
    ['a journal that is none', { model, prompt: 'x', journal: {} }, 'step and all'],
    ['a hook that is no function', { model, prompt: 'x', onTurn: 'x' }, 'onTurn must be a function'],
  ])('%s is told before anything starts', async (_, options, text) => {
    await expect(run(options as RunOptions)).rejects.toThrow(text)
    await expect(run(options as RunOptions)).rejects.toMatchObject({ code: 'misuse' })
    expect(() => run.stream(options as RunOptions)).toThrow(ToolwireError)
    expect(model.requests).toHaveLength(0)
  })

  test('messages that are not valid are refused with their place', async () => {
    const messages = [{ role: 'user', content: 'text' }] as unknown as readonly Message[]
    await expect(run({ model, messages })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('tools are not sent to a model that is known to have none, whoever wrote the model', async () => {
  const model = scriptedModel([{ text: 'Hi' }], { capabilities: { tools: 'no' } })
  const streamed = run.stream({ model, tools: [add], prompt: 'Hi' })
  for (const result of [await run({ model, tools: [add], prompt: 'Hi' }), await streamed]) {
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'unsupported_feature' } })
  }
  expect(model.requests).toEqual([])
  expect((await run({ model, prompt: 'Hi' })).text).toBe('Hi')
})

test.each([
  [
    'text instead of parts',
    { messages: [{ role: 'user', content: 'Hi' }] },
    'messages[0].content must be an array of parts',
  ],
  ['an unknown choice', { prompt: 'Hi', tools: [add], toolChoice: 'any' }, "toolChoice must be 'auto', 'none'"],
  ['no choice at all', { prompt: 'Hi', tools: [add], toolChoice: null }, "toolChoice must be 'auto', 'none'"],
])('%s is refused before anything starts, and named', async (_, options, message) => {
  const model = scriptedModel([{ text: 'Hi' }])
  await expect(run({ model, ...options } as never)).rejects.toThrow(message)
  expect(model.requests).toEqual([])
})
