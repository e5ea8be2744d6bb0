// Conversations in files, as plain JSON: the list of messages, or the state of a run that waits for approval.
// They come back as hostile data: everything goes through the readers of stored conversations.
import { randomUUID } from 'node:crypto'
import { access, constants, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Message } from '../conversation/messages.js'
import { decodeConversation } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { parseBody } from '../json/parse.js'
import type { RunResult } from '../loop/result.js'
import { decodeState, type RunState } from '../loop/state.js'

/** What was said before, or a run whose calls wait for somebody to decide. */
export type Saved =
  | { readonly type: 'conversation'; readonly messages: readonly Message[] }
  | { readonly type: 'waiting'; readonly state: RunState }

export const nothingSaid: Saved = { type: 'conversation', messages: [] }

export async function readSaved(path: string): Promise<Saved> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new ToolwireError('misuse', `cannot read the conversation "${path}" (${codeOf(error)}); check --resume`, {
      cause: error,
    })
  }
  try {
    const json = parseBody(text)
    if (Array.isArray(json)) return { type: 'conversation', messages: decodeConversation(json) }
    return { type: 'waiting', state: decodeState(json) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ToolwireError('misuse', `"${path}" is no conversation that was saved: ${why}`, { cause: error })
  }
}

/** What a result leaves to go on from. */
export function savedOf(result: RunResult): Saved {
  const { state, messages } = result
  return state === undefined ? { type: 'conversation', messages } : { type: 'waiting', state }
}

/** Replaces the file as a whole, readable by its owner only. The draft is a new file: what is there under a guessed name is not written to. */
export async function writeSaved(path: string, saved: Saved): Promise<void> {
  const json = saved.type === 'conversation' ? saved.messages : saved.state
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, `${JSON.stringify(json, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw unwritable(path, error)
  }
}

/** Finds out before a model is paid for. */
export async function checkWritable(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK)
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): ToolwireError {
  const message = `cannot save the conversation to "${path}" (${codeOf(error)}); check --save`
  return new ToolwireError('misuse', message, { cause: error })
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error'
}
