import { describe, expect, test } from 'vitest'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { offlineEngine } from '../../src/offline/index.js'
import { argsOf } from '../../src/tools/arguments.js'
import { noCalls, type RequestCase, severalCalls, singleCalls } from './requests.js'
import { toolSet } from './tool-set.js'

const engine = offlineEngine()

function callsFor(request: string): readonly unknown[] {
  const asked: CompletionRequest = {
    model: 'offline',
    messages: [{ role: 'user', content: [{ type: 'text', text: request }] }],
    tools: toolSet,
  }
  return engine(asked).toolCalls.map((call) => [call.name, argsOf(call)])
}

function failures(cases: readonly RequestCase[]): readonly unknown[] {
  return cases.flatMap(([request, ...expected]) => {
    const calls = callsFor(request)
    return JSON.stringify(sorted(calls)) === JSON.stringify(sorted(expected)) ? [] : [{ request, calls, expected }]
  })
}

/** Keys sorted, order of calls kept. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]): [string, unknown] => [key, sorted(member)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function report(name: string, cases: number, failed: readonly unknown[]): void {
  console.info(`offline engine, ${name}: ${cases - failed.length} of ${cases} right`)
}

describe('plain requests to fourteen tools', () => {
  test('one call each, every argument right', () => {
    const failed = failures(singleCalls)
    report('one call', singleCalls.length, failed)
    expect(singleCalls.length).toBeGreaterThanOrEqual(60)
    expect(failed).toEqual([])
  })

  test('several calls where several are asked for', () => {
    const failed = failures(severalCalls)
    report('several calls', severalCalls.length, failed)
    expect(severalCalls.length).toBeGreaterThanOrEqual(12)
    expect(failed).toEqual([])
  })

  test('no call where no tool fits', () => {
    const failed = noCalls.flatMap((request) => {
      const calls = callsFor(request)
      return calls.length === 0 ? [] : [{ request, calls }]
    })
    report('no call', noCalls.length, failed)
    expect(noCalls.length).toBeGreaterThanOrEqual(15)
    expect(failed).toEqual([])
  })
})
