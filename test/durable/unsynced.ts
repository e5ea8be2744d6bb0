import { open } from 'node:fs/promises'
import type { JournalFile } from '../../src/durable/files.js'

/** Files that nobody waits for the disk to have: for tests that open many. */
export const unsynced = async (path: string): Promise<JournalFile> =>
  Object.assign(await open(path, 'a+'), { datasync: async () => {} })
