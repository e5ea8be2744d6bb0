// Lines at the end of a file. Lines that wait while the disk is busy are written and synced together.
// The trap: after a failed write or sync nobody knows what the disk has; nothing is written any more, and everybody is told.
import { ToolwireError } from '../errors/error.js'
import { type JournalFile, writeText } from './files.js'

export interface Appender {
  /** Settles when the line and all before it are on the disk. */
  append(line: string): Promise<void>
  /**
   * Settles at once. The line is written with the next `append`, before it, or by itself when none comes in this turn of the event loop;
   * that it could not be is told by what comes after it.
   */
  hand(line: string): Promise<void>
  /** Waits for what is on its way. Never throws. */
  idle(): Promise<void>
}

interface Waiting {
  readonly line: string
  readonly isSynced: boolean
  readonly done: () => void
  readonly failed: (error: Error) => void
}

/** `onWritten` is called with the lines of each write before anybody learns that they are written; what it throws fails the write. */
export function createAppender(
  file: JournalFile,
  what: string,
  onWritten: (lines: readonly string[]) => void = () => {},
): Appender {
  let waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  let failure: ToolwireError | undefined

  const writeAll = async (): Promise<void> => {
    await undefined // lines appended in the same moment go together
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        if (failure !== undefined) throw failure
        const lines = batch.map(({ line }) => line)
        await writeText(file, lines.join(''))
        if (batch.some(({ isSynced }) => isSynced)) await file.datasync()
        onWritten(lines)
        for (const { done } of batch) done()
      } catch (error) {
        failure ??= ToolwireError.is(error) ? error : unwritable(what, error)
        for (const { failed } of batch) failed(failure)
      }
    }
    writing = undefined
  }

  const write = (): void => {
    if (waiting.length > 0) writing ??= writeAll()
  }

  return {
    append(line) {
      const written = new Promise<void>((done, failed) => waiting.push({ line, isSynced: true, done, failed }))
      write()
      return written
    },
    async hand(line) {
      if (failure !== undefined) throw failure
      waiting.push({ line, isSynced: false, done: () => {}, failed: () => {} })
      setImmediate(write)
    },
    async idle() {
      await writing
    },
  }
}

function unwritable(what: string, cause: unknown): ToolwireError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `${what} cannot be written: ${reason}; the run stops here, and goes on from its last recorded step when the disk works`
  return new ToolwireError('server_error', message, { retryable: false, cause })
}
