// The built command as a process of its own: what it writes, and how it ends.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../layers/source.js'

export const entry: string = process.env.TOOLWIRE_CLI ?? join(root, 'dist/node/cli/main.js')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}
export interface CommandOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Called with all of stdout so far, whenever there is more. */
  readonly onOutput?: (stdout: string, signal: (name: NodeJS.Signals) => void) => void
}

/** No key of the machine reaches a test, and no Ollama of it. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG'].map((name) => [name, process.env[name] ?? ''])
  return { ...Object.fromEntries(kept), OLLAMA_HOST: '127.0.0.1:9', ...extra }
}

export function toolwire(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { input = '', env, cwd = root, onOutput } = options
  const child = spawn(process.execPath, [entry, ...args], { env: cleanEnvironment(env), cwd, timeout: 50_000 })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    onOutput?.(stdout, (name) => child.kill(name))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => {}) // a command that does not read its input may be gone already
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
