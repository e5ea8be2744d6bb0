// A server as a child process: its own process group, so that what it starts ends with it and a Ctrl-C at the terminal does not
// reach it; an environment that was given to it; the end of what it wrote to standard error.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { LineTransport } from './line-transport.js'
import { guard, signalGroup } from './orphans.js'
import type { StdioServerSpec } from './server-spec.js'

/** How much of standard error is kept. */
const maxErrorCharacters = 8192
/** How long a server may take to end by itself when its input ends, and then when it is told to. */
const graceMs = 1000

type Child = ChildProcessByStdio<Writable, Readable, Readable>

export class ChildTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #spec: StdioServerSpec
  #child: Child | undefined
  #lines: LineTransport | undefined
  #ended: Promise<void> = Promise.resolve()
  #stderr = ''
  /** How the process ended, when it did. */
  ending: string | undefined

  constructor(spec: StdioServerSpec) {
    this.#spec = spec
  }

  /** The end of what the server wrote to standard error. */
  get stderr(): string {
    return this.#stderr
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const { command, args = [], env = {}, cwd } = this.#spec
    const child: Child = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#child = child
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.on('error', (error) => this.onerror?.(error))
    this.#watch(child)
    const lines = new LineTransport(child.stdout, child.stdin, this.#spec.maxMessageBytes)
    this.#lines = lines
    lines.onmessage = (message) => this.onmessage?.(message)
    lines.onerror = (error) => this.onerror?.(error)
    lines.onclose = () => void this.close()
    await lines.start()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#lines === undefined) throw new Error('the server was not started')
    try {
      await this.#lines.send(message)
    } catch (error) {
      // A process that takes no more input is about to end; how it ended tells more than the broken pipe.
      await this.#endsWithin(graceMs)
      throw error
    }
  }

  /** Ends the input, which ends a good server; one that stays is told to go, and then made to. Waits until it is gone. */
  async close(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    const { pid } = child
    child.stdin.end()
    if (await this.#endsWithin(graceMs)) return
    signalGroup(pid, 'SIGTERM')
    if (await this.#endsWithin(graceMs)) return
    signalGroup(pid, 'SIGKILL')
    await this.#ended
  }

  #watch(child: Child): void {
    const { pid } = child
    const release = pid === undefined ? () => {} : guard(pid)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-maxErrorCharacters)
    })
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.ending = signal === null ? `code ${code}` : `signal ${signal}`
        // What it started and left behind goes with it.
        if (pid !== undefined) signalGroup(pid, 'SIGKILL')
        release()
      })
      // All of its streams are read to their ends by then.
      child.once('close', () => {
        resolve()
        this.onclose?.()
      })
    })
  }

  #endsWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      void this.#ended.then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}
