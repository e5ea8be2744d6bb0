// The first thing a newcomer runs: a tool-calling conversation without a model, over HTTP, on every wire.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import { root } from '../layers/source.js'
import { cleanEnvironment, toolwire } from './command.js'

describe('toolwire run without a request', () => {
  test.each(wires)('on the %s wire: three calls, an answer, and how to use a real model', async (wire) => {
    const { code, stdout, stderr } = await toolwire(['run', '--wire', wire])
    expect(code).toBe(0)
    expect(stderr).toContain(`the offline engine, over the ${wire} wire at http://127.0.0.1:`)
    expect(stderr).toMatch(/✓ calculator\(.*17 \* 23.*→ 391/)
    expect(stderr).toMatch(/✓ clock\(.*Tokyo/)
    expect(stderr).toMatch(/✓ clock\(.*Boston/)
    expect(stdout.split('\n')[0]).toContain('not a language model')
    expect(stdout).toContain('391')
    expect(stderr).toContain('ANTHROPIC_API_KEY')
  })

  test('it is offline even where a key is set, and says how to go on by the command that was used', async () => {
    const env = { OPENAI_API_KEY: 'sk-none', npm_lifecycle_event: 'start' }
    const { code, stderr } = await toolwire(['run'], { env })
    expect(code).toBe(0)
    expect(stderr).toContain('the offline engine, over the anthropic wire')
    expect(stderr).toContain('npm start -- --demo-tools')
  })
})

test('npm start runs the example of the README, then the demonstration over HTTP, then says how to use a real model', () => {
  const start = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/start.mjs'), ...args], {
      encoding: 'utf8',
      env: cleanEnvironment({ npm_lifecycle_event: 'start' }),
    })
  const { status, stdout, stderr } = start()
  expect(status).toBe(0)
  expect(stdout).toMatch(/examples\/weather\.mjs.*get_weather → .*answer after 2 turns.*391/s)
  expect(stderr).toMatch(/over the anthropic wire at http:.*npm start -- --model/s)
  const asked = start('--wire', 'gemini', 'What is 12 * 12?')
  expect(asked.stdout).toContain('144')
  expect(asked.stdout).not.toContain('get_weather')
  expect(asked.stderr).toContain('over the gemini wire')
})

test('a request without a model, a key or an Ollama goes to the offline engine, and it says so', async () => {
  const { code, stdout, stderr } = await toolwire(['run', 'What is 12 * 12?'])
  expect(code).toBe(0)
  expect(stderr).toContain('no Ollama is running')
  expect(stdout).toContain('144')
})

test('the built-in tools read files below the working directory for the offline engine without asking', async () => {
  const { code, stdout, stderr } = await toolwire(['run', 'read package.json and tell me the version'])
  expect(code).toBe(0)
  expect(stderr).toMatch(/✓ read_file\(/)
  expect(stdout).toMatch(/\d+\.\d+\.\d+/)
  const denied = await toolwire(['run', '--approve', 'none', 'read package.json and tell me the version'])
  expect(denied.stderr).toMatch(/✗ read_file\(/)
})

test('http_get is there for allowed hosts only', async () => {
  const listed = async (...args: string[]) =>
    (await toolwire(['chat', '--wire', 'gemini', ...args], { input: '/tools' })).stderr
  expect(await listed()).not.toContain('http_get')
  expect(await listed('--allow-host', 'example.com')).toContain('http_get: ')
})

describe('--help', () => {
  test('fits a screen and names the exit codes', async () => {
    const { code, stdout } = await toolwire(['--help'])
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(stdout).toMatch(/0 answered, 1 failed, 2 misuse, 3 stopped.*\n?.*130 interrupted/)
  })

  test.each(['run', 'chat'])('of %s names every option and the exit codes', async (command) => {
    const { stdout } = await toolwire([command, '--help'])
    const options = [
      'model',
      'base-url',
      'wire',
      'text-calls',
      'tools',
      'demo-tools',
      'allow-host',
      'approve',
      'system',
      'max-turns',
      'timeout',
    ]
    for (const option of [...options, 'save', 'resume', 'json']) expect(stdout).toContain(`--${option}`)
    expect(stdout).toContain('130 interrupted')
  })
})
