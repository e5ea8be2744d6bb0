// Every example runs on the built package and says what it should.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from '../layers/source.js'

const lastLines: Readonly<Record<string, string>> = {
  'examples/approvals.mjs': 'answer after 3 turns; deleted: draft.txt',
  'examples/durable.mjs': 'killed and resumed: 3 effects, the card was charged once',
  'examples/errors-and-retries.mjs': 'error: network, may be tried again: true',
  'examples/extraction.mjs': 'Ada, due 2026-12-01: 2 items by native, 2 answers',
  'examples/gateway.mjs': '3 calls of 2 wires, answered by anthropic; a stranger was refused',
  'examples/langchain-agent.mjs': 'the agent answered: Rome is the warmest.',
  'examples/mcp.mjs': 'answer after 2 turns: 2 calls went through MCP',
  'examples/multi-turn.mjs': '11 messages, 2 items',
  'examples/own-suite.mjs': '2 tests recorded, 2 replayed without a provider',
  'examples/parallel-tools.mjs': 'Tokyo is the largest. (3 at once)',
  'examples/react.mjs': 'all tasks solved on 5 wires',
  'examples/record-and-replay.mjs': '2 lines of tape, no key on it, played without a provider',
  'examples/schema-libraries.mjs': '6 ways, one tool',
  'examples/signatures.mjs': 'all as expected',
  'examples/switching-providers.mjs': '6 models, 24 messages, nothing refused',
  'examples/telemetry.mjs': '1 run, 2 model calls, 2 tool calls',
  'examples/web-page.mjs': 'the page was told 3 kinds of events, the last: answer',
  'examples/weather.mjs': 'answer after 2 turns and 1 call',
}

/** Where `--model` is read, and the suite that one example runs. */
const parts = ['examples/given-models.mjs', 'examples/own-suite/weather.mjs', 'examples/own-suite/weather.test.mjs']

test('every example is listed here, and has its line in the README of the examples', () => {
  const examples = filesBelow('examples').filter((path) => path.endsWith('.mjs') && !parts.includes(path))
  expect(examples.toSorted()).toEqual(Object.keys(lastLines).toSorted())
  const lines = readFileSync(join(root, 'examples/README.md'), 'utf8').matchAll(
    /^\| \[([a-z-]+\.mjs)\]\(\1\) +\| .+ \|$/gm,
  )
  expect([...lines].map(([, name]) => `examples/${name}`).toSorted()).toEqual(examples.toSorted())
})

test.each(Object.entries(lastLines))('%s ends with "%s"', (path, line) => {
  const child = spawnSync(process.execPath, [join(root, path)], { encoding: 'utf8' })
  expect(child.stderr).toBe('')
  expect(child.stdout.trim().split('\n').at(-1)).toBe(line)
})
