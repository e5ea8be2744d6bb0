import { describe, expect, test } from 'vitest'
import { jsonReporter, terminalReporter } from '../../src/cli/report.js'
import { createTerminal, harmless, oneLine, type Sink, wantsColour } from '../../src/cli/terminal.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { RunEvent } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { tool } from '../../src/tools/define.js'

function sink(options: { isTTY?: boolean; columns?: number } = {}): Sink & { text: string } {
  const made = {
    text: '',
    ...options,
    write(text: string) {
      made.text += text
      return true
    },
    once: () => {},
  }
  return made
}

const echo = tool({
  name: 'echo',
  description: 'Says what it is told',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => {
    if (text === 'fail') throw new Error('it broke')
    return text
  },
})

async function eventsOf(...texts: string[]): Promise<RunEvent[]> {
  const calls = texts.map((text) => ({ name: 'echo', args: { text } }))
  const model = scriptedModel([{ text: 'Let me see.', calls }, 'Done.'])
  const events: RunEvent[] = []
  for await (const event of run.stream({ model, tools: [echo], prompt: 'go' })) events.push(event)
  return events
}

describe('events as lines', () => {
  test('the answer goes to stdout, each call is one line on stderr', async () => {
    const output = sink()
    const error = sink()
    const reporter = terminalReporter(createTerminal(output, error, {}), () => 0)
    for (const event of await eventsOf('one\ntwo', 'fail')) reporter.tell(event)
    expect(output.text).toBe('Let me see.\nDone.\n')
    expect(error.text).toBe('✓ echo({"text":"one\\ntwo"}) 0 ms → one two\n✗ echo({"text":"fail"}) 0 ms → it broke\n')
  })

  test('a line fits the terminal, however long arguments and result are', async () => {
    const error = sink({ columns: 80 })
    const reporter = terminalReporter(createTerminal(sink(), error, {}), () => 0)
    for (const event of await eventsOf('x'.repeat(100_000))) reporter.tell(event)
    const [line = ''] = error.text.split('\n')
    expect(line.length).toBeLessThanOrEqual(80)
    expect(line).toContain('…')
  })

  test('escape sequences of a model or a tool do not reach the terminal', async () => {
    const output = sink({ isTTY: true })
    const error = sink()
    const reporter = terminalReporter(createTerminal(output, error, {}))
    for (const event of await eventsOf('\u001b[2J\u009b31m\u202egnp')) reporter.tell(event)
    reporter.tell({ type: 'text_delta', turn: 3, part: 0, text: 'a\u001b]0;title\u0007b\r\n' })
    expect((error.text + output.text).replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
    expect(output.text).toContain('a]0;titleb\n')
  })

  test('as JSON every event is one line, errors included, and the last is the result', async () => {
    const output = sink()
    const reporter = jsonReporter(output)
    for (const event of await eventsOf('one')) reporter.tell(event)
    const lines = output.text.trimEnd().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { type: string; result?: { text: string } })
    expect(events[0]?.type).toBe('turn_start')
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { text: 'Done.', stop: { reason: 'answer' } } })
    output.text = ''
    reporter.tell({ type: 'error', turn: 1, error: new ToolwireError('network', 'gone') })
    expect(JSON.parse(output.text)).toMatchObject({ type: 'error', error: { code: 'network', message: 'gone' } })
  })
})

describe('the terminal', () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('colours with %j and a terminal: %s → %s', (env, isTTY, wanted) => {
    expect(wantsColour(sink({ isTTY }), env)).toBe(wanted)
  })

  test('the spinner turns on a terminal and leaves nothing behind, and is silent elsewhere', () => {
    const terminal = sink({ isTTY: true })
    const { spinner } = createTerminal(sink(), terminal, { NO_COLOR: '1' })
    spinner.start('waiting')
    spinner.start('still waiting')
    spinner.stop()
    spinner.stop()
    expect(terminal.text).toBe('\r\u001b[K⠋ waiting\r\u001b[K')
    const file = sink()
    createTerminal(sink(), file, {}).spinner.start('waiting')
    expect(file.text).toBe('')
  })

  test('lines and the spinner wait while a person types', () => {
    const error = sink({ isTTY: true })
    const { say, hold, spinner } = createTerminal(sink(), error, { NO_COLOR: '1' })
    const release = hold()
    say('later')
    spinner.start('waiting')
    expect(error.text).toBe('')
    release()
    expect(error.text).toBe('later\n')
  })

  test('foreign text on one line', () => {
    expect(oneLine(' a\n\tb  c ', 20)).toBe('a b c')
    expect(oneLine('abcdef', 4)).toBe('abc…')
    expect(harmless('a\tb\nc\u0000d')).toBe('a\tb\ncd')
  })
})
