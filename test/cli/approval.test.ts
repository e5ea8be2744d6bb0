import { describe, expect, test } from 'vitest'
import { approver, askAlways, terminalQuestion } from '../../src/cli/approval.js'
import type { LineInput, Typed } from '../../src/cli/line-input.js'
import { createTerminal, type Sink } from '../../src/cli/terminal.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { tool } from '../../src/tools/define.js'
import type { Approve } from '../../src/tools/policy.js'
import type { AnyTool } from '../../src/tools/tool.js'

const input = { type: 'object', properties: {} } as const
const add = tool({ name: 'add', description: 'Touches nothing at all', input, execute: () => 'added' })
const read = tool({
  name: 'read',
  description: 'Reads something from disk',
  input,
  capabilities: ['filesystem'],
  execute: () => 'was read',
})

async function resultsWith(approve: Approve, ...names: string[]): Promise<RunResult> {
  const calls = names.map((name) => ({ name, args: {} }))
  return run({ model: scriptedModel([{ calls }, 'ok']), tools: [add, read], prompt: 'go', approve, policy: askAlways })
}

function texts(result: RunResult): readonly string[] {
  const message = result.messages.find((found) => found.role === 'tool')
  return message?.role === 'tool' ? message.results.map((found) => JSON.stringify(found.content)) : []
}

const silent: Sink = { write: () => true, once: () => {} }
const nobody = new Set<never>()

function typing(...answers: Typed[]): LineInput & { asked: string[]; open: number } {
  const lines = {
    isTerminal: true,
    asked: [] as string[],
    open: 0,
    async ask(question: string) {
      lines.asked.push(question)
      lines.open += 1
      expect(lines.open).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      lines.open -= 1
      return answers.shift() ?? ({ type: 'end' } as const)
    },
    close: () => {},
  }
  return lines
}

function asking(lines: LineInput, interrupt: () => void = () => {}): Approve {
  const trusted = new Set<AnyTool>()
  const trust = (found: AnyTool): void => void trusted.add(found)
  const terminal = createTerminal(silent, silent, {})
  const ask = terminalQuestion(terminal, lines, { interrupt, decided() {}, trust })
  return approver({ mode: 'ask', trusted, ask })
}

describe('--approve', () => {
  test('all runs everything, none denies tools that declare capabilities and runs the others', async () => {
    const all = await resultsWith(approver({ mode: 'all', trusted: nobody }), 'add', 'read')
    expect(texts(all).join()).toMatch(/added.*was read/)
    const none = await resultsWith(approver({ mode: 'none', trusted: nobody }), 'add', 'read')
    expect(texts(none).join()).toMatch(/added.*allows no tool that uses filesystem/)
  })

  test('ask without anybody to ask pauses the run, but not for tools that are trusted', async () => {
    const paused = await resultsWith(approver({ mode: 'ask', trusted: nobody }), 'add', 'read')
    expect(paused.stop.reason).toBe('needs_approval')
    expect(paused.state?.pending.map((call) => call.name)).toEqual(['read'])
    const trusting = await resultsWith(approver({ mode: 'ask', trusted: new Set([read]) }), 'read')
    expect(texts(trusting).join()).toContain('was read')
  })

  test('yes, no and anything else; one question at a time', async () => {
    const line = (text: string): Typed => ({ type: 'line', text })
    const lines = typing(line('y'), line('n'), line('what?'), line(' YES '))
    const result = await resultsWith(asking(lines), 'read', 'read', 'read', 'read', 'add')
    expect(lines.asked).toHaveLength(4)
    expect(texts(result).map((text) => /was read|said no|added/.exec(text)?.[0])).toEqual([
      'was read',
      'said no',
      'said no',
      'was read',
      'added',
    ])
  })

  test('always asks once for a tool', async () => {
    const lines = typing({ type: 'line', text: 'a' })
    const result = await resultsWith(asking(lines), 'read', 'read')
    expect(lines.asked).toHaveLength(1)
    expect(texts(result).filter((text) => text.includes('was read'))).toHaveLength(2)
  })

  test('Ctrl-C at the question denies and interrupts', async () => {
    let interrupts = 0
    const approve = asking(typing({ type: 'interrupt' }), () => {
      interrupts += 1
    })
    const result = await resultsWith(approve, 'read')
    expect(interrupts).toBe(1)
    expect(texts(result).join()).not.toContain('was read')
  })
})
