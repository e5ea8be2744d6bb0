// Every example runs on the built package and says what it should.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from '../layers/source.js'

const lastLines: Readonly<Record<string, string>> = {
  'examples/langchain-agent.mjs': 'the agent answered: Rome is the warmest.',
  'examples/mcp.mjs': 'answer after 2 turns: 2 calls went through MCP',
  'examples/react.mjs': 'all tasks solved on 5 wires',
  'examples/signatures.mjs': 'all as expected',
  'examples/telemetry.mjs': '1 run, 2 model calls, 2 tool calls',
  'examples/weather.mjs': 'answer after 2 turns and 1 call',
}

test('every example is listed here', () => {
  expect(filesBelow('examples').filter((path) => path.endsWith('.mjs'))).toEqual(Object.keys(lastLines))
})

test.each(Object.entries(lastLines))('%s ends with "%s"', (path, line) => {
  const child = spawnSync(process.execPath, [join(root, path)], { encoding: 'utf8' })
  expect(child.stderr).toBe('')
  expect(child.stdout.trim().split('\n').at(-1)).toBe(line)
})
