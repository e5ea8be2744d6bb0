// Which time of a call is over: the whole call, its first byte, or the pause between two pieces that somebody waits for.
import { expect, test } from 'vitest'
import { overdue, shortestOf } from '../../src/transport/node-watch.js'

const limits = { timeoutMs: 1000, headersTimeoutMs: 300, idleTimeoutMs: 100, maxBodyBytes: 1 }

test.each<[string, Parameters<typeof overdue>[0], number, string | undefined]>([
  ['nothing yet', { startedAt: 5000, hasHead: false, wantedAt: undefined }, 5299, undefined],
  ['the first byte', { startedAt: 5000, hasHead: false, wantedAt: undefined }, 5300, 'headersTimeoutMs'],
  ['nothing once the first byte is there', { startedAt: 5000, hasHead: true, wantedAt: undefined }, 5999, undefined],
  ['the pause', { startedAt: 5000, hasHead: true, wantedAt: 5500 }, 5600, 'idleTimeoutMs'],
  ['nothing before the end of the pause', { startedAt: 5000, hasHead: true, wantedAt: 5500 }, 5599, undefined],
  ['nothing while nobody waits', { startedAt: 5000, hasHead: true, wantedAt: undefined }, 5900, undefined],
  [
    'the pause, counted from the first moment there is',
    { startedAt: 0, hasHead: true, wantedAt: 0 },
    100,
    'idleTimeoutMs',
  ],
  ['the whole call', { startedAt: 5000, hasHead: true, wantedAt: undefined }, 6000, 'timeoutMs'],
  ['the whole call before all else', { startedAt: 5000, hasHead: false, wantedAt: 5000 }, 6000, 'timeoutMs'],
  ['the first byte before the pause', { startedAt: 5000, hasHead: false, wantedAt: 5000 }, 5300, 'headersTimeoutMs'],
])('%s', (_, progress, now, expected) => {
  const error = overdue(progress, limits, now)
  if (expected === undefined) expect(error).toBeUndefined()
  else expect([error?.code, error?.message.includes(expected)]).toEqual(['timeout', true])
})

test('the shortest of the times decides how often is looked', () => {
  expect(shortestOf(limits)).toBe(100)
  expect(shortestOf({ ...limits, idleTimeoutMs: 5000 })).toBe(300)
  expect(shortestOf({ ...limits, timeoutMs: 1 })).toBe(1)
})
