// The text that Prometheus scrapes: every series with its labels, and a histogram whose buckets add up.
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/gateway/metrics.js'
import type { GatewayLogRecord } from '../../src/gateway/options.js'

const record = (more: Partial<GatewayLogRecord>): GatewayLogRecord => ({
  requestId: 'r',
  method: 'POST',
  path: '/v1/messages',
  status: 200,
  durationMs: 0,
  ...more,
})

/** The lines of one metric, by what follows its name. */
function linesOf(text: string, name: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.startsWith(name) ? [line.slice(name.length)] : []))
}

test('nothing is counted before the first request', () => {
  const text = createMetrics().text()
  expect(linesOf(text, 'toolwire_requests_total')).toEqual([])
  expect(linesOf(text, 'toolwire_tokens_total')).toEqual([])
  expect(linesOf(text, 'toolwire_losses_total')).toEqual([])
  expect(linesOf(text, 'toolwire_request_duration_seconds_sum')).toEqual([' 0'])
  expect(linesOf(text, 'toolwire_request_duration_seconds_count')).toEqual([' 0'])
  expect(linesOf(text, 'toolwire_requests_active')).toEqual([' 0'])
  for (const line of linesOf(text, 'toolwire_request_duration_seconds_bucket')) expect(line).toMatch(/ 0$/)
  expect(text.endsWith('\n')).toBe(true)
})

test('requests are counted by wire, status, client and error', () => {
  const metrics = createMetrics()
  metrics.record(record({ wire: 'anthropic', client: 'team a' }))
  metrics.record(record({ wire: 'anthropic', client: 'team a' }))
  metrics.record(record({ wire: 'anthropic', client: 'team b' }))
  metrics.record(record({ wire: 'gemini', client: 'team a', status: 429, error: 'rate_limited' }))
  metrics.record(record({ status: 404, client: 'a "quoted"\\name\nin two lines' }))
  expect(linesOf(metrics.text(), 'toolwire_requests_total')).toEqual([
    '{wire="anthropic",status="200",client="team a",error=""} 2',
    '{wire="anthropic",status="200",client="team b",error=""} 1',
    '{wire="gemini",status="429",client="team a",error="rate_limited"} 1',
    '{wire="none",status="404",client="a \\"quoted\\"\\\\name\\nin two lines",error=""} 1',
  ])
})

test('tokens and losses are added up, and series without any are left out', () => {
  const metrics = createMetrics()
  metrics.record(record({ wire: 'ollama', client: 'a', inputTokens: 7, outputTokens: 2, losses: ['x', 'y'] }))
  metrics.record(record({ wire: 'ollama', client: 'a', inputTokens: 3, outputTokens: 0, losses: ['x'] }))
  metrics.record(record({ wire: 'gemini', client: 'b', inputTokens: 0, outputTokens: 1, losses: [] }))
  const text = metrics.text()
  expect(linesOf(text, 'toolwire_tokens_total')).toEqual([
    '{client="a",kind="input"} 10',
    '{client="a",kind="output"} 2',
    '{client="b",kind="output"} 1',
  ])
  expect(linesOf(text, 'toolwire_losses_total')).toEqual(['{wire="ollama"} 3'])
})

test('a duration counts in every bucket from its own up, also at the edge of one and beyond the last', () => {
  const metrics = createMetrics()
  for (const durationMs of [10, 11, 100, 29_999, 60_000, 300_000, 300_001]) metrics.record(record({ durationMs }))
  const text = metrics.text()
  expect(linesOf(text, 'toolwire_request_duration_seconds_bucket')).toEqual([
    '{le="0.01"} 1',
    '{le="0.05"} 2',
    '{le="0.1"} 3',
    '{le="0.5"} 3',
    '{le="1"} 3',
    '{le="5"} 3',
    '{le="10"} 3',
    '{le="30"} 4',
    '{le="60"} 5',
    '{le="300"} 6',
    '{le="+Inf"} 7',
  ])
  expect(linesOf(text, 'toolwire_request_duration_seconds_count')).toEqual([' 7'])
  expect(Number(linesOf(text, 'toolwire_request_duration_seconds_sum')[0])).toBeCloseTo(690.121, 6)
})

test('every metric says what it is and of which type', () => {
  const text = createMetrics().text()
  const types = linesOf(text, '# TYPE ')
  expect(types).toEqual([
    'toolwire_requests_total counter',
    'toolwire_tokens_total counter',
    'toolwire_losses_total counter',
    'toolwire_request_duration_seconds histogram',
    'toolwire_requests_active gauge',
  ])
  expect(linesOf(text, '# HELP ').map((line) => line.split(' ')[0])).toEqual(types.map((line) => line.split(' ')[0]))
})
