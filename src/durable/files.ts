// The names of runs as names of files, both ways, and a folder's own durability.
import { open } from 'node:fs/promises'
import { ToolwireError } from '../errors/error.js'

const ending = '.jsonl'

/** The file of a run. Any id works that is not too long: what a file name cannot hold is percent-encoded. */
export function pathOf(runId: string): string {
  const name = encodeURIComponent(runId.toWellFormed()).replace(
    /[.!'()*~]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  )
  if (runId.isWellFormed() && name !== '' && name.length <= 200) return name + ending
  const message = `the id of a run must be well-formed text of 1 to 200 characters; got ${JSON.stringify(runId.slice(0, 40))}`
  throw new ToolwireError('misuse', message)
}

/** The run of a file; undefined for files that are none of ours. */
export function runIdOf(fileName: string): string | undefined {
  if (!fileName.endsWith(ending)) return undefined
  try {
    return decodeURIComponent(fileName.slice(0, -ending.length))
  } catch {
    return undefined
  }
}

/** Makes the entry of a new file as durable as its content. Where folders cannot be synced, the system sees to it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    await handle.sync()
  } catch {
    // Windows refuses to sync a folder
  } finally {
    await handle.close()
  }
}
