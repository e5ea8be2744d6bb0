// Slots for calls at once, shared among the keys of a gateway. A fifth of them is divided equally and kept for each key; the rest goes
// to whoever comes first. So a key always gets in, whatever the others do.

export interface Slots {
  /** Takes a slot; false when there is none for this key. Without a key only the total counts. */
  take(key: string | undefined, capacity: number, keyCount: number): boolean
  free(key: string | undefined): void
  readonly active: number
}

/** What share of all slots is divided among the keys in advance. */
const reservedPart = 5

/** How many slots are kept for each key. A single key has nobody to share with. */
export function guaranteedSlots(capacity: number, keyCount: number): number {
  if (keyCount < 2) return 0
  const equal = Math.floor(capacity / (reservedPart * keyCount))
  return Math.max(equal, keyCount <= capacity ? 1 : 0)
}

export function createSlots(): Slots {
  const held = new Map<string, number>()
  let active = 0
  return {
    take(key, capacity, keyCount) {
      if (active >= capacity) return false
      if (key !== undefined) {
        const guaranteed = guaranteedSlots(capacity, keyCount)
        const count = held.get(key) ?? 0
        if (count >= guaranteed && sharedInUse(held, guaranteed) >= capacity - guaranteed * keyCount) return false
        held.set(key, count + 1)
      }
      active += 1
      return true
    },
    free(key) {
      active -= 1
      if (key === undefined) return
      const count = (held.get(key) ?? 0) - 1
      if (count > 0) held.set(key, count)
      else held.delete(key)
    },
    get active() {
      return active
    },
  }
}

/** The slots that keys hold beyond what is kept for them. */
function sharedInUse(held: ReadonlyMap<string, number>, guaranteed: number): number {
  let count = 0
  for (const slots of held.values()) count += Math.max(0, slots - guaranteed)
  return count
}
