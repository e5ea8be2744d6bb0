// The gateway's log does what was put off in steps, so that requests do not wait for all of it.
import { expect, test } from 'vitest'
import { gatewayLog } from '../../src/cli/serve-log.js'

function setup() {
  const written: string[] = []
  const log = gatewayLog({ output: { write: (text: string) => written.push(text) > 0, once() {} }, env: {} })
  const done: (number | string)[] = []
  const putOff = (count: number, ms: number): void => {
    for (let n = 0; n < count; n += 1) {
      log.later(() => {
        for (const end = performance.now() + ms; performance.now() < end; );
        done.push(n)
      })
    }
  }
  return { log, done, putOff }
}

test('work that takes long lets others have their turn in between, and keeps its order', async () => {
  const { done, putOff } = setup()
  putOff(6, 8)
  while (done.length === 0) await new Promise((resolve) => setTimeout(resolve))
  const first = done.length
  while (done.length < 6) await new Promise((resolve) => setTimeout(resolve))
  expect(first).toBeLessThan(6)
  expect(done).toEqual([0, 1, 2, 3, 4, 5])
})

test('before the process ends all of it is done at once', () => {
  const { log, done, putOff } = setup()
  putOff(6, 8)
  log.flush()
  expect(done).toEqual([0, 1, 2, 3, 4, 5])
})
