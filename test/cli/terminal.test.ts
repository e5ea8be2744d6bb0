// `toolwire run` and `toolwire chat` in a real terminal, typed at by the test.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProviderScript } from '../../src/testing/provider-script.js'
import { type ProviderServer, providerServer } from '../../src/testing/provider-server.js'
import { temporaryFolder } from './command.js'
import { hasTerminal, keys, openTerminal, type Screen } from './pseudo-terminal.js'

if (!hasTerminal) console.warn('no pty, skipped')

async function serverOf(script: ProviderScript): Promise<ProviderServer> {
  const server = await providerServer({ script })
  onTestFinished(() => server.close())
  return server
}

function open(command: 'run' | 'chat', server: ProviderServer, args: readonly string[], env = {}): Screen {
  return openTerminal([command, '--model', 'ollama:scripted', '--base-url', server.url, ...args], env)
}

const calculation = { calls: [{ name: 'calculator', args: { expression: '6 * 7' } }] }

describe.runIf(hasTerminal)('in a terminal', () => {
  test('run shows a spinner, the call on one line, and the answer, in colour', async () => {
    const server = await serverOf([{ ...calculation, delayMs: 300 }, 'It is 42.'])
    const screen = open('run', server, ['--demo-tools', 'What is 6 * 7?'])
    await screen.sees(/[⠋⠙⠹⠸]/u)
    await screen.sees('\u001b[32m✓\u001b[0m')
    await screen.sees('→\u001b[0m 42')
    await screen.sees('It is 42.')
    expect(await screen.ended).toBe(0)
  })

  test('NO_COLOR takes the colours away', async () => {
    const screen = open('run', await serverOf([calculation, 'It is 42.']), ['--demo-tools', 'go'], { NO_COLOR: '1' })
    expect(await screen.ended).toBe(0)
    expect(screen.text).toContain('✓ calculator(')
    expect(screen.text).not.toContain('\u001b[3')
  })

  test('Ctrl-C ends run with 130', async () => {
    const screen = open('run', await serverOf([{ text: 'never', hang: true }]), ['go'])
    await screen.sees('waiting for the model')
    screen.type(keys.ctrlC)
    await screen.sees('interrupted')
    expect(await screen.ended).toBe(130)
  })

  test('run asks before a tool touches something: yes and no', async () => {
    const tools = join(temporaryFolder(), 'tools.mjs')
    writeFileSync(
      tools,
      `export const remove = { name: 'remove', description: 'Removes a file for good', capabilities: ['filesystem'],
        input: { type: 'object', properties: { path: { type: 'string' } } }, execute: ({ path }) => 'removed ' + path }`,
    )
    const calls = ['a.txt', 'b.txt'].map((path) => ({ name: 'remove', args: { path } }))
    const screen = open('run', await serverOf([{ calls }, 'Done.']), ['--tools', tools, 'go'], { NO_COLOR: '1' })
    await screen.sees('remove wants filesystem')
    await screen.sees('"a.txt"')
    await screen.sees('run it?')
    screen.type(`y${keys.enter}`)
    await screen.sees('"b.txt"')
    await screen.sees('run it?')
    screen.type(`n${keys.enter}`)
    await screen.sees('Done.')
    expect(await screen.ended).toBe(0)
    expect(screen.text).toContain('→ removed a.txt')
    expect(screen.text).toContain('✗ remove({"path":"b.txt"})')
  })

  test('chat: Ctrl-C stops the answer and keeps the conversation, a second one leaves', async () => {
    const saved = join(temporaryFolder(), 'talk.json')
    const server = await serverOf(['First answer.', { text: 'never', hang: true }, 'Third answer.'])
    const screen = open('chat', server, ['--save', saved])
    await screen.sees('you ›')
    screen.type(`one${keys.enter}`)
    await screen.sees('First answer.')
    await screen.sees('you ›')
    screen.type(`two${keys.enter}`)
    await screen.sees('waiting for the model')
    screen.type(keys.ctrlC)
    await screen.sees('interrupted')
    await screen.sees('you ›')
    screen.type(`three${keys.enter}`)
    await screen.sees('Third answer.')
    await screen.sees('you ›')
    const said = server.requests.at(-1)?.request.messages.filter((message) => message.role === 'user') ?? []
    expect(JSON.stringify(said)).toMatch(/one.*two.*three/)
    screen.type(keys.ctrlC)
    await screen.sees('Ctrl-C again')
    screen.type(keys.ctrlC)
    expect(await screen.ended).toBe(130)
    expect(readFileSync(saved, 'utf8')).toContain('Third answer.')
  })

  test('chat: the arrow keys bring lines back, Ctrl-D leaves', async () => {
    const server = await serverOf((_request, index) => `Answer ${index + 1}.`)
    const screen = open('chat', server, [])
    await screen.sees('you ›')
    screen.type(`only once${keys.enter}`)
    await screen.sees('Answer 1.')
    await screen.sees('you ›')
    screen.type(`${keys.up}${keys.enter}`)
    await screen.sees('Answer 2.')
    await screen.sees('you ›')
    screen.type(keys.ctrlD)
    expect(await screen.ended).toBe(0)
    expect(JSON.stringify(server.requests[1]?.request.messages).match(/only once/g)).toHaveLength(2)
  })
})
