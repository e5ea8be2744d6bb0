// Files that hold runs: their names, both ways, and how what is written reaches the disk.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
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

/** What a journal needs of its file. */
export type JournalFile = Pick<FileHandle, 'write' | 'datasync' | 'read' | 'stat' | 'close'>

/**
 * Opens a run's file, or makes it. On Linux every write to it is on the disk when it is done, which takes half the time of a write and a
 * sync; elsewhere such a flag is missing, or leaves the write in the cache of the drive.
 */
export async function openJournalFile(path: string): Promise<JournalFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND
  if (process.platform !== 'linux') return open(path, flags, 0o600)
  return Object.assign(await open(path, flags | constants.O_DSYNC, 0o600), { datasync: async () => {} })
}

/** Appends text. One write as far as the system takes it: others may append to the file too. */
export async function writeText(file: JournalFile, text: string): Promise<void> {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest)
    rest = rest.subarray(bytesWritten)
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
