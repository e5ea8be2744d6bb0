// Lines at the end of a file. Lines that wait while the disk is busy are written and synced together.
// The trap: after a failed write or sync nobody knows what the disk has; nothing is written any more, and everybody is told.
import { ToolwireError } from '../errors/error.js'
import { type JournalFile, writeText } from './files.js'

export interface Appender {
  /** Settles when the line and all before it are on the disk. `isIntent` is handed on to `onWritten`. */
  append(line: string, isIntent?: boolean): Promise<void>
  /**
   * Settles at once. The line is written with the next `append`, before it, or by itself when none comes in this turn of the event loop;
   * that it could not be is told by what comes after it.
   */
  hand(line: string): Promise<void>
  /** Waits for what is on its way. Never throws. */
  idle(): Promise<void>
}

/** A line, and whether something will be done because of it that nobody can undo. */
export interface WrittenLine {
  readonly line: string
  readonly isIntent: boolean
}

interface Waiting extends WrittenLine {
  readonly isSynced: boolean
  readonly done: () => void
  readonly failed: (error: Error) => void
}

/** `onWritten` is called with the lines of each write before anybody learns that they are written; what it throws fails the write. */
export function createAppender(
  file: JournalFile,
  what: string,
  onWritten: (lines: readonly WrittenLine[]) => void = () => {},
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
        await writeText(file, batch.map(({ line }) => line).join(''))
        if (batch.some(({ isSynced }) => isSynced)) await file.datasync()
        onWritten(batch)
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
    append(line, isIntent = false) {
      const written = new Promise<void>((done, failed) =>
        waiting.push({ line, isIntent, isSynced: true, done, failed }),
      )
      write()
      return written
    },
    async hand(line) {
      if (failure !== undefined) throw failure
      waiting.push({ line, isIntent: false, isSynced: false, done: () => {}, failed: () => {} })
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
