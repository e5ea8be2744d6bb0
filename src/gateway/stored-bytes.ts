// The memory that the stores of a gateway share: together they stay below one limit, and the longest unused entry of any goes first.

/** What a store holds under one name. */
export interface StoredEntry {
  readonly bytes: number
  /** Takes it out of its store. */
  drop(): void
}

export interface StoredBytes {
  /** Counts a new entry, as the latest used, and drops others until all fit; the new one too where it does not fit alone. */
  add(entry: StoredEntry): void
  /** It was used. */
  touch(entry: StoredEntry): void
  /** It is not stored any more. */
  remove(entry: StoredEntry): void
}

/** What an entry takes besides its text. */
export const entryOverhead = 512

export function storedBytes(maxBytes: number): StoredBytes {
  /** The longest unused first. */
  const entries = new Set<StoredEntry>()
  let bytes = 0
  const remove = (entry: StoredEntry): void => {
    if (entries.delete(entry)) bytes -= entry.bytes
  }
  return {
    add(entry) {
      entries.add(entry)
      bytes += entry.bytes
      for (const oldest of entries) {
        if (bytes <= maxBytes) break
        remove(oldest)
        oldest.drop()
      }
    },
    touch(entry) {
      if (entries.delete(entry)) entries.add(entry)
    },
    remove,
  }
}
