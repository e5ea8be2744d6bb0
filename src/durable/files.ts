// Files that hold runs: their names, both ways, how they are opened without following what somebody planted there, and how what
// is written reaches the disk.
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolwireError } from '../errors/error.js'

const journalEnding = '.jsonl'
const leaseEnding = '.lease'

/** Where the parts of a run are. */
export interface RunPaths {
  readonly journal: string
  /** A folder; what is in it is in lease.ts. */
  readonly lease: string
  /** Exists when the run was cancelled. */
  readonly cancel: string
}

/** The files of a run. Any id works that is not too long: what a file name cannot hold is percent-encoded. */
export function runPaths(folder: string, runId: string): RunPaths {
  const path = join(folder, fileName(runId))
  return { journal: path + journalEnding, lease: path + leaseEnding, cancel: `${path}.cancel` }
}

function fileName(runId: string): string {
  const name = encodeURIComponent(runId.toWellFormed()).replace(
    /[.!'()*~]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  )
  if (runId.isWellFormed() && name !== '' && name.length <= 200) return name
  const message = `the id of a run must be well-formed text of 1 to 200 characters; got ${JSON.stringify(runId.slice(0, 40))}`
  throw new ToolwireError('misuse', message)
}

/** The runs that have a journal or a lease among these files, each once. */
export function runIdsIn(fileNames: readonly string[]): readonly string[] {
  return [...new Set(fileNames.flatMap((name) => readRunId(name) ?? []))]
}

function readRunId(name: string): string | undefined {
  const ending = [journalEnding, leaseEnding].find((each) => name.endsWith(each))
  if (ending === undefined) return undefined
  try {
    const runId = decodeURIComponent(name.slice(0, -ending.length))
    return fileName(runId) + ending === name ? runId : undefined
  } catch {
    return undefined
  }
}

/** What a journal needs of its file. */
export type JournalFile = Pick<FileHandle, 'write' | 'datasync' | 'read' | 'stat' | 'close'>

/** Flags that Windows does not have. Without O_NONBLOCK a FIFO would hold up whoever opens it. */
const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a run's file, or makes it. On Linux every write to it is on the disk when it is done, which takes half the time of a write and a
 * sync; elsewhere such a flag is missing, or leaves the write in the cache of the drive.
 */
export async function openJournalFile(path: string): Promise<JournalFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | safely
  if (process.platform !== 'linux') return openRegular(path, flags)
  return Object.assign(await openRegular(path, flags | constants.O_DSYNC), { datasync: async () => {} })
}

/** Reads a whole file; undefined when there is none, empty when it has more than `maxBytes`. */
export async function readRegular(
  path: string,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<Buffer | undefined> {
  let handle: FileHandle
  try {
    handle = await openRegular(path, constants.O_RDONLY | safely)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return (await handle.stat()).size > maxBytes ? Buffer.alloc(0) : await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Makes a file with this content, unless there is something of that name. */
export async function createRegular(path: string, content: string | Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | safely
  const handle = await open(path, flags, 0o600)
  try {
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
}

/** Opens a regular file, never what a symbolic link points to. */
async function openRegular(path: string, flags: number): Promise<FileHandle> {
  let handle: FileHandle
  try {
    handle = await open(path, flags, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'EMLINK') throw notRegular(path, 'a symbolic link', error)
    if (code === 'EISDIR' || code === 'ENXIO') throw notRegular(path, 'not a regular file', error)
    throw error
  }
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notRegular(path, 'not a regular file')
}

/** Makes a folder that only its owner can enter. False when it is there; what is there must be a folder, not a symbolic link. */
export async function makePrivateFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (!(await lstat(path)).isDirectory()) throw notRegular(path, 'not a folder')
  return false
}

function notRegular(path: string, what: string, cause?: unknown): ToolwireError {
  const message = `${path} is ${what}; runs are kept in regular files of their own folder. Remove it, or use another folder`
  return new ToolwireError('misuse', message, { cause })
}

/** The whole content of an open file. */
export async function readOpenFile(file: JournalFile): Promise<Buffer> {
  const { size } = await file.stat()
  const buffer = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
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
