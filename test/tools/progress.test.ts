// Progress of tools: told to whoever listens, and never in the way of the call.
import { expect, test } from 'vitest'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { params } from '../../src/tools/params.js'
import type { ToolProgress } from '../../src/tools/tool.js'

const counting = tool({
  name: 'count_up',
  description: 'Counts to two, telling so',
  input: params.object({}),
  execute: (_input, { progress }) => {
    progress?.({ progress: 1, total: 2 })
    progress?.({ progress: 2, total: 2, message: 'done' })
    return progress === undefined ? 'nobody listens' : 'told'
  },
})
const call = { type: 'tool_call', id: 'call_1', name: 'count_up', arguments: '{}' } as const

test('a run tells the progress of its tools, with the call', async () => {
  const told: [string, ToolProgress][] = []
  const model = scriptedModel([{ calls: [{ name: 'count_up', args: {} }] }, 'done'])
  await run({ model, tools: [counting], prompt: 'count', onProgress: (made, update) => told.push([made.name, update]) })
  expect(told).toEqual([
    ['count_up', { progress: 1, total: 2 }],
    ['count_up', { progress: 2, total: 2, message: 'done' }],
  ])
})

test('a listener that throws does not reach the tool, and without one there is nothing to call', async () => {
  const throwing = (): never => {
    throw new Error('listener')
  }
  const [told] = await executeToolCalls([call], [counting], { onProgress: throwing })
  expect(told?.content).toEqual([{ type: 'text', text: 'told' }])
  const [alone] = await executeToolCalls([call], [counting])
  expect(alone?.content).toEqual([{ type: 'text', text: 'nobody listens' }])
})

test('what an abandoned tool still tells is not passed on', async () => {
  const told: number[] = []
  let finish = (): void => {}
  const late = tool({
    name: 'count_up',
    description: 'Tells of its progress too late',
    input: params.object({}),
    execute: (_input, { progress }) =>
      new Promise<void>((resolve) => {
        finish = () => {
          progress?.({ progress: 1 })
          resolve()
        }
      }),
  })
  const onProgress = (_call: unknown, { progress }: ToolProgress): number => told.push(progress)
  const [result] = await executeToolCalls([call], [late], { onProgress, timeoutMs: 5 })
  finish()
  expect(result?.error?.category).toBe('execution_timeout')
  expect(told).toEqual([])
})
