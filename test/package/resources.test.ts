// In a process of its own, on the built package: aborted and timed-out runs leave nothing open behind them.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../layers/source.js'

const program = `
import { run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'

const hang = tool({
  name: 'hang',
  description: 'Never comes to an end',
  input: { type: 'object', properties: {} },
  execute: () => new Promise(() => {}),
})
const model = () => scriptedModel([{ calls: [{ name: 'hang', args: {} }] }, 'done'])
const count = { aborted: 0, answered: 0 }

async function abortedRun(index) {
  const controller = new AbortController()
  const running = run({ model: model(), tools: [hang], prompt: 'go', signal: controller.signal })
  setTimeout(() => controller.abort(), index % 10)
  const { stop } = await running
  if (stop.reason === 'aborted') count.aborted += 1
}
async function timedOutRun() {
  const { stop, messages } = await run({ model: model(), tools: [hang], prompt: 'go', toolTimeoutMs: 5 })
  const result = messages.find((message) => message.role === 'tool').results[0]
  if (stop.reason === 'answer' && result.error.category === 'execution_timeout') count.answered += 1
}
async function batches(total, once) {
  for (let done = 0; done < total; done += 100) await Promise.all(Array.from({ length: 100 }, (_, index) => once(index)))
}

await batches(100, timedOutRun)
const before = process.getActiveResourcesInfo().toSorted()
Object.assign(count, { aborted: 0, answered: 0 })
await batches(1000, abortedRun)
await batches(1000, timedOutRun)
await new Promise((resolve) => setImmediate(resolve))
console.log(JSON.stringify({ before, after: process.getActiveResourcesInfo().toSorted(), count }))
`

test('1,000 aborted and 1,000 timed-out runs leave the active resources as they were', () => {
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' })
  expect(child.stderr).toBe('')
  const told = JSON.parse(child.stdout) as { before: string[]; after: string[]; count: object }
  expect(told.count).toEqual({ aborted: 1000, answered: 1000 })
  expect(told.after).toEqual(told.before)
})
