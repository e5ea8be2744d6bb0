// The built `toolwire` command as scripts use it: lines in, lines out, exit codes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../layers/source.js'

interface Answer {
  readonly id: unknown
  readonly ok: boolean
  readonly [key: string]: unknown
}

function toolwire(args: readonly string[], lines: readonly (object | string)[] = []) {
  const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  const child = spawnSync(process.execPath, [join(root, 'dist/node/cli/main.js'), ...args], { input, encoding: 'utf8' })
  const answers = child.stdout.split('\n').filter((line) => line !== '')
  return { ...child, lines: answers, answers: answers.map((line) => parsed(line)) }
}

function parsed(line: string): Answer {
  try {
    return JSON.parse(line) as Answer
  } catch {
    return { id: null, ok: false, text: line }
  }
}

const example = (path: string): string => readFileSync(join(root, 'test/examples', path), 'utf8')

describe('toolwire decode', () => {
  test('a whole answer, with arguments parsed beside their text and every digit kept', () => {
    const body = example('anthropic/response.tool.json')
      .replace(/"input"\s*:\s*\{[^}]*\}/, '"input":{"id":12345678901234567890}')
      .replaceAll('\n', ' ')
    const { lines, answers, status } = toolwire(['decode', '--wire', 'anthropic'], [`{"id":1,"body":${body}}`])
    expect(status).toBe(0)
    expect(answers[0]).toMatchObject({ id: 1, ok: true, response: { finishReason: 'tool_calls', text: '' } })
    expect(lines[0]).toContain('"args":{"id":12345678901234567890}')
    expect(lines[0]).toContain('"arguments":"{\\"id\\":12345678901234567890}"')
  })

  test('a stream, a recorded exchange, and payloads without framing give the same response', () => {
    const chunks = example('openai-chat/stream.tool.sse')
    const payloads = chunks.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
    const { answers } = toolwire(
      ['decode', '--wire', 'openai-chat'],
      [
        { id: 'a', chunks },
        { id: 'b', response: { status: 200, headers: { 'Content-Type': 'text/event-stream' }, chunks } },
        { id: 'c', chunks: payloads },
      ],
    )
    expect(answers.map((answer) => answer.ok)).toEqual([true, true, true])
    expect(answers[1]?.response).toEqual(answers[0]?.response)
    expect(answers[2]?.response).toEqual(answers[0]?.response)
  })

  test('errors and cut streams are answered with a code and what had arrived', () => {
    const { answers, status } = toolwire(
      ['decode', '--wire', 'openai-chat'],
      [
        { id: 1, status: 429, headers: { 'retry-after': '3' }, body: example('openai-chat/error.429.json') },
        { id: 2, chunks: example('openai-chat/stream.truncated.sse') },
        'not json',
        '[1]',
        { id: 5 },
      ],
    )
    expect(status).toBe(0)
    expect(answers.map((answer) => [answer.id, answer.ok, (answer.error as { code: string }).code])).toEqual([
      [1, false, 'rate_limited'],
      [2, false, 'truncated'],
      [null, false, 'malformed_response'],
      [null, false, 'invalid_request'],
      [5, false, 'invalid_request'],
    ])
    expect(answers[0]?.error).toMatchObject({ retryable: true, retryAfterMs: 3000 })
    expect(answers[1]?.partial).toBeDefined()
  })
})

describe('toolwire encode and translate', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] }

  test('a canonical request becomes the HTTP request of the wire', () => {
    const request = { model: 'gemini-4-flash', messages: [user], temperature: 0.5 }
    const { answers } = toolwire(
      ['encode', '--wire', 'gemini', '--stream'],
      [
        { id: 1, request },
        { id: 2, request: { model: 1 } },
      ],
    )
    expect(answers[0]).toMatchObject({
      id: 1,
      ok: true,
      http: {
        method: 'POST',
        path: '/v1beta/models/gemini-4-flash:streamGenerateContent?alt=sse',
        body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      },
      losses: [],
    })
    expect(answers[1]).toMatchObject({ id: 2, ok: false, error: { code: 'invalid_request' } })
  })

  test('a request, an answer and a stream cross from wire to wire', () => {
    const request = toolwire(
      ['translate', '--from', 'openai-chat', '--to', 'anthropic', '--kind', 'request'],
      [{ id: 1, body: JSON.parse(example('openai-chat/request.history.json')) }],
    )
    expect(request.answers[0]).toMatchObject({ ok: true, path: '/v1/messages' })
    const response = toolwire(
      ['translate', '--from', 'anthropic', '--to', 'gemini', '--kind', 'response'],
      [{ id: 1, body: JSON.parse(example('anthropic/response.text.json')) }],
    )
    expect(response.answers[0]).toMatchObject({ ok: true, body: { candidates: [{ finishReason: 'STOP' }] } })
    const stream = toolwire(
      ['translate', '--from', 'anthropic', '--to', 'openai-chat', '--kind', 'stream'],
      [{ id: 1, chunks: example('anthropic/stream.tool.sse') }],
    )
    expect(stream.answers[0]?.ok).toBe(true)
    expect(String(stream.answers[0]?.chunks)).toMatch(/data: \[DONE\]\n\n$/)
  })
})

describe('toolwire check-tools', () => {
  test('definitions of any dialect, with what each wire loses', () => {
    const { answers } = toolwire(
      ['check-tools'],
      [
        {
          id: 1,
          tool: { type: 'function', function: { name: 'get.x', description: 'd', parameters: { type: 'object' } } },
        },
        { id: 2, tool: { description: 'no name' } },
      ],
    )
    expect(answers[0]).toMatchObject({ id: 1, ok: true, tool: { name: 'get.x' } })
    const losses = answers[0]?.losses as Record<string, { path: string }[]>
    expect(losses['openai-chat']?.map((loss) => loss.path)).toEqual(['/tools/0/name'])
    expect(losses.ollama).toEqual([])
    expect(answers[1]).toMatchObject({ id: 2, ok: false, error: { code: 'invalid_tool_spec' } })
  })
})

describe('misuse', () => {
  test.each([
    [['decode']],
    [['decode', '--wire', 'smoke']],
    [['decode', '--wire', 'openai-chat', '--profile', 'nobody']],
    [['fly']],
  ])('%j exits with 2 and says what is possible', (args) => {
    const child = toolwire(args)
    expect(child.status).toBe(2)
    expect(child.stderr.length).toBeGreaterThan(20)
    expect(child.stdout).toBe('')
  })

  test('help fits a screen', () => {
    const child = toolwire(['--help'])
    expect(child.status).toBe(0)
    expect(child.stdout.split('\n').length).toBeLessThanOrEqual(24)
    expect(Math.max(...child.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})
