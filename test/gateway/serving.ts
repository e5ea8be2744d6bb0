// `toolwire serve` as a process of its own, and a call to it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { cleanEnvironment, entry, temporaryFolder } from '../cli/command.js'

export interface Serving {
  readonly url: string
  output(): string
  /** Nobody reads its standard output from now on. */
  closeLog(): void
  kill(signal?: NodeJS.Signals): void
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const child = spawn(process.execPath, [entry, 'serve', '--port', '0', ...args], {
    env: cleanEnvironment(env),
    cwd: temporaryFolder(),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  await expect.poll(() => output, { timeout: 20_000 }).toMatch(/gateway on \S+/)
  const url = /gateway on (\S+)/.exec(output)?.[1] ?? ''
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const closeLog = (): void => void child.stdout.destroy()
  return { url, output: () => output, closeLog, kill: (signal = 'SIGTERM') => void child.kill(signal), ended }
}

export const chat: string = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'private words' }] })

export function ask(url: string, key = 'client-key-1', body: string = chat): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
}
