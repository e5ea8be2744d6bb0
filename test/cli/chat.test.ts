// `toolwire chat` fed by a pipe; test/cli/terminal.test.ts types.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { providerServer } from '../../src/testing/provider-server.js'
import { temporaryFolder, toolwire } from './command.js'

async function chat(args: readonly string[], input: string, fails = false) {
  const server = await providerServer({
    script: (_request, index) => `Answer ${index + 1}.`,
    strict: true,
    ...(fails ? { misbehave: () => ({ status: 400, body: '{"error":{"message":"no"}}' }) } : {}),
  })
  onTestFinished(() => server.close())
  const model = ['--model', 'anthropic:scripted', '--base-url', server.url]
  return { ...(await toolwire(['chat', ...model, ...args], { input })), server }
}

test('each line is answered with all that was said before', async () => {
  const { code, stdout, server } = await chat([], 'one\n\ntwo\r\nthree')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Answer 1.\nAnswer 2.\nAnswer 3.\n' })
  expect(server.requests.map(({ request }) => request.messages.length)).toEqual([1, 3, 5])
})

test('commands begin with a slash', async () => {
  const saved = join(temporaryFolder(), 'talk.json')
  const input = `/help\n/tools\none\n/save ${saved}\n/save\n/clear\ntwo\n/what\n/exit\nthree\n`
  const { code, stdout, stderr, server } = await chat(['--demo-tools'], input)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Answer 1.\nAnswer 2.\n' })
  expect(stderr).toContain('/save FILE')
  expect(stderr).toContain('calculator: ')
  expect(stderr).toContain(`saved to ${saved}`)
  expect(stderr).toContain('there is no /what')
  expect(server.requests.map(({ request }) => request.messages.length)).toEqual([1, 1])
  expect(JSON.parse(readFileSync(saved, 'utf8'))).toHaveLength(2)
})

test('a conversation is saved after every turn and resumed', async () => {
  const saved = join(temporaryFolder(), 'talk.json')
  await chat(['--save', saved], 'one\n')
  const { server } = await chat(['--resume', saved, '--save', saved], 'two\n')
  expect(server.requests[0]?.request.messages).toHaveLength(3)
  expect(JSON.parse(readFileSync(saved, 'utf8'))).toHaveLength(4)
})

test('a failing turn does not end the chat, and a script sees it', async () => {
  const { code, stderr, server } = await chat([], 'one\ntwo\n', true)
  expect(code).toBe(1)
  expect(server.requests).toHaveLength(2)
  expect(stderr.match(/^toolwire: /gm)).toHaveLength(2)
})

test('with --json every event is a line', async () => {
  const { stdout } = await chat(['--json'], 'one\ntwo\n')
  const types = stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { type: string }).type]))
  expect(types.filter((type) => type === 'done')).toHaveLength(2)
})

test('what an interrupted answer had said is kept, told, saved and sent on', async () => {
  const saved = join(temporaryFolder(), 'talk.json')
  const server = await providerServer({
    strict: true,
    script: (_request, index) => (index === 0 ? 'The first words, and many more.' : 'Going on.'),
    misbehave: (_, index) => (index === 0 ? { stallAfterEvents: 4 } : {}),
  })
  onTestFinished(() => server.close())
  let isInterrupted = false
  const { stdout, stderr } = await toolwire(
    ['chat', '--model', 'anthropic:scripted', '--base-url', server.url, '--save', saved],
    {
      input: 'one\ntwo\n',
      onOutput: (text, signal) => {
        if (isInterrupted || !text.includes('The first')) return
        isInterrupted = true
        signal('SIGINT')
      },
    },
  )
  expect(stderr).toContain('interrupted; the answer so far is kept')
  expect(stdout).toContain('Going on.')
  const kept = JSON.parse(readFileSync(saved, 'utf8')) as { role: string; content: { text: string }[] }[]
  expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  const text = kept[1]?.content[0]?.text ?? ''
  expect(text).toMatch(/^The first/)
  expect('The first words, and many more.'.startsWith(text)).toBe(true)
  expect(server.requests[1]?.request.messages[1]).toMatchObject({ role: 'assistant', content: [{ text }] })
})
