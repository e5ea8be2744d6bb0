// Deep-frozen messages. Only these may have their encoded bytes cached: a message its owner can still edit would be sent stale.
import type { Message } from './messages.js'

const frozen = new WeakSet<object>()

/** Freezes a value and everything in it, and remembers it as frozen by this library. Returns the same object. */
export function freeze<T extends object>(value: T): T {
  if (frozen.has(value)) return value
  freezeDeep(value)
  frozen.add(value)
  return value
}

/** Whether the library froze this very object, so that its encoded bytes can never go stale. */
export function isFrozen(value: Message | object): boolean {
  return frozen.has(value)
}

function freezeDeep(value: object): void {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member)) freezeDeep(member)
  }
  Object.freeze(value)
}
