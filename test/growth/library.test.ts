// What a program does without a gateway: runs, batches of calls, stored conversations and registered tools. Twice as much of each
// costs about twice as much. Ratios within one process, no times.
import { expect, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import type { Message, ToolCall } from '../../src/conversation/messages.js'
import { utf8 } from '../../src/frames/body.js'
import { run } from '../../src/loop/run.js'
import { RemoteTools } from '../../src/mcp/remote-tools.js'
import { compatible } from '../../src/model/factories.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { importTool } from '../../src/tools/import-tool.js'
import { ToolRegistry } from '../../src/tools/registry.js'
import type { Transport } from '../../src/transport/transport.js'
import type { Codec } from '../../src/wire/codec.js'
import { codecs } from '../../src/wire/index.js'
import { growthOf, linear } from './processor-time.js'
import { envOf } from './sample-streams.js'

const each = Object.values(codecs)

const look = tool({
  name: 'look',
  description: 'Looks something up',
  input: { type: 'object', properties: {} },
  execute: () => 'found',
})

/** A provider in this process that asks for a call `rounds` times and then answers. Each answer was written before. */
function provider(codec: Codec, rounds: number): () => Transport {
  const turns = [
    ...Array.from({ length: rounds }, (_, n) => ({ calls: [{ name: 'look', args: { n } }] })),
    { text: 'done' },
  ]
  const exchange = { wire: codec.wire, model: 'm', stream: false }
  const answers = turns.map((turn, index) => {
    const { http } = codec.response.encode(responseOf(turn, index, 'm'), exchange, envOf(codec))
    return { ...http, body: utf8(http.body) }
  })
  return () => {
    const left = answers.values()
    return async () => {
      const { value = { status: 500, headers: {}, body: utf8('') } } = left.next()
      return { ...value, body: only(value.body) }
    }
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test.each(each)('$wire: a run grows with its rounds', async (codec) => {
  const growth = await growthOf(40, (rounds) => {
    const transport = provider(codec, rounds)
    return async () => {
      const where = { wire: codec.wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', retries: 0 } as const
      const model = compatible({ ...where, transport: transport(), capabilities: { tools: 'yes' } })
      const { text, calls } = await run({ model, tools: [look], prompt: 'Go', maxTurns: rounds + 1 })
      expect([text, calls]).toEqual(['done', rounds])
    }
  })
  expect(growth).toBeLessThan(linear)
})

const definitions = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `read_${index}`,
    description: `Reads file ${index}`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  }))

/** Tools that a program holds already. */
const importedTools = (count: number) =>
  definitions(count).map((definition) => importTool(definition, { source: 'files', execute: () => 'found' }).tool)

test('registering tools, and registering them again, grows with their number', async () => {
  const growth = await growthOf(1_000, (count) => {
    const tools = importedTools(count)
    return () => {
      const registry = new ToolRegistry()
      for (const one of tools) registry.renew(one)
      for (const one of tools) registry.renew(one)
      expect(registry.list()).toHaveLength(count)
    }
  })
  expect(growth).toBeLessThan(linear)
})

test('taking over the tools of an MCP server grows with their number', async () => {
  const growth = await growthOf(500, (count) => {
    const listed = definitions(count)
    return async () => {
      const registry = new ToolRegistry()
      const remote = new RemoteTools('files', { command: 'none' }, registry, () => {
        throw new Error('nothing is called')
      })
      await remote.sync(() => Promise.resolve({ tools: listed }) as never)
      expect(registry.list()).toHaveLength(count)
    }
  })
  expect(growth).toBeLessThan(linear)
})

/** The longest piece of processor time, in milliseconds, that `work` keeps other tasks waiting for. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.cpuUsage()
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.cpuUsage(before)
      before = process.cpuUsage()
      longest = Math.max(longest, (user + system) / 1000)
    }
  })()
  await work()
  isDone = true
  await watching
  return longest
}

test('taking over 20,000 tools of an MCP server never blocks for 100 ms', async () => {
  const listed = definitions(20_000)
  const blocks: number[] = []
  // Another task on the same processor, or a collection of garbage, only adds to it.
  for (let round = 0; round < 8 && !blocks.some((block) => block < 100); round += 1) {
    const remote = new RemoteTools(`files_${round}`, { command: 'none' }, new ToolRegistry(), () => {
      throw new Error('nothing is called')
    })
    blocks.push(await longestBlock(() => remote.sync(() => Promise.resolve({ tools: listed }) as never)))
    expect(remote.tools).toHaveLength(20_000)
  }
  expect(Math.min(...blocks), String(blocks)).toBeLessThan(100)
})

const callsOf = (count: number): readonly ToolCall[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'tool_call',
    id: `call_${index}`,
    name: 'look',
    arguments: '{}',
  }))

test('running the calls of a turn grows with their number', async () => {
  const growth = await growthOf(300, (count) => {
    const calls = callsOf(count)
    return async () => {
      expect(await executeToolCalls(calls, new ToolRegistry([look]))).toHaveLength(count)
    }
  })
  expect(growth).toBeLessThan(linear)
})

function history(rounds: number): readonly Message[] {
  const turns = callsOf(rounds).map((call): readonly Message[] => [
    { role: 'assistant', content: [{ type: 'text', text: 'Reading.' }, call] },
    { role: 'tool', results: [{ callId: call.id, name: call.name, isError: false, content: [] }] },
  ])
  return [{ role: 'user', content: [{ type: 'text', text: 'Read the files.' }] }, ...turns.flat()]
}

test('storing and reading a conversation grows with its messages', async () => {
  const growth = await growthOf(300, (rounds) => {
    const conversation = new Conversation(history(rounds))
    return () => {
      const text = JSON.stringify(conversation)
      expect(Conversation.from(JSON.parse(text)).messages).toHaveLength(conversation.messages.length)
    }
  })
  expect(growth).toBeLessThan(linear)
})
