// Lines a person types, or a script pipes in. The trap: on a terminal the reader exists only while a line is asked for; at all
// other times Ctrl-C must be the signal that stops an answer, and a reader in raw mode would swallow it.
import { createInterface, type Interface } from 'node:readline'
import type { Sink } from './terminal.js'

export type Typed =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'interrupt' }
  /** Ctrl-D, the end of the pipe, or nobody waits any more. */
  | { readonly type: 'end' }

interface AskOptions {
  /** Whether the arrow keys bring the line back later; true. */
  readonly remember?: boolean
  readonly signal?: AbortSignal
}

export interface LineInput {
  readonly isTerminal: boolean
  /** Asks for one line; not while another is asked for. */
  ask(question: string, options?: AskOptions): Promise<Typed>
  close(): void
}

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

export function lineInput(input: Input, prompts: Sink): LineInput {
  return input.isTTY === true ? terminalInput(input, prompts) : pipedInput(input)
}

function terminalInput(input: Input, prompts: Sink): LineInput {
  let history: string[] = []
  const ask = (question: string, { remember = true, signal }: AskOptions = {}): Promise<Typed> => {
    if (signal?.aborted === true) return Promise.resolve({ type: 'end' })
    // The prompts are written to a terminal whenever lines are typed on one and nobody redirected them.
    const output = prompts as unknown as NodeJS.WritableStream
    const remembered = remember ? history : []
    const reader = createInterface({ input, output, history: remembered, terminal: prompts.isTTY === true })
    return new Promise((resolve) => {
      const finish = (typed: Typed): void => {
        signal?.removeEventListener('abort', leave)
        reader.off('close', leave)
        reader.close()
        if (typed.type !== 'line') prompts.write('\n')
        resolve(typed)
      }
      const leave = (): void => finish({ type: 'end' })
      reader.on('history', (lines) => {
        if (remember) history = [...lines]
      })
      reader.on('SIGINT', () => finish({ type: 'interrupt' }))
      reader.on('close', leave)
      signal?.addEventListener('abort', leave)
      reader.question(question, (text) => finish({ type: 'line', text }))
    })
  }
  return { isTerminal: true, ask, close: () => {} }
}

/** Nothing is read before the first line is asked for: what is piped in may be meant for somebody else. */
function pipedInput(input: Input): LineInput {
  let reader: Interface | undefined
  let lines: AsyncIterator<string> | undefined
  return {
    isTerminal: false,
    async ask() {
      reader ??= createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
      lines ??= reader[Symbol.asyncIterator]()
      const next = await lines.next()
      return next.done === true ? { type: 'end' } : { type: 'line', text: next.value }
    },
    close: () => reader?.close(),
  }
}
