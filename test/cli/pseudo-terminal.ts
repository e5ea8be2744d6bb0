// A command in a real terminal: `script` of util-linux gives it one, the test types and looks.
import { spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { cleanEnvironment, entry } from './command.js'

export const hasTerminal: boolean = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

export interface Screen {
  /** Everything that was written, escape sequences included. */
  readonly text: string
  type(keys: string): void
  /** Waits until the text appears after what was seen before. */
  sees(text: string | RegExp): Promise<void>
  readonly ended: Promise<number | null>
}

export const keys = { enter: '\r', ctrlC: '\u0003', ctrlD: '\u0004', up: '\u001b[A' } as const

export function openTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}): Screen {
  const words = [process.execPath, entry, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const command = `stty cols 100 rows 30; exec ${words.join(' ')}`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: cleanEnvironment({ TERM: 'xterm', SHELL: '/bin/sh', ...env }),
  })
  onTestFinished(() => void child.kill())
  let text = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return {
    get text() {
      return text
    },
    type: (typed) => void child.stdin.write(typed),
    async sees(wanted) {
      const deadline = Date.now() + 20_000
      while (Date.now() < deadline) {
        const rest = text.slice(seen)
        const at = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted)
        if (at !== -1) {
          seen += at + 1
          return
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`the terminal does not show ${String(wanted)}; it shows ${JSON.stringify(text.slice(seen))}`)
    },
    ended,
  }
}
