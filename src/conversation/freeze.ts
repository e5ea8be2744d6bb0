// Deep-frozen messages. Only these may have their encoded bytes remembered: a message its owner can still edit would be sent
// stale. The memory hangs on the object itself, out of sight; a weak table would cost more than the bytes it saves.

/** What is remembered of a frozen object. A proxy may show the one of its target, so it knows whose it is. */
class Memo {
  declare readonly owner: object // set below: a field's own initialiser would cost as much as all the rest
  declare private entries: Map<string | object, unknown> | undefined // of most objects nothing is ever remembered

  constructor(owner: object) {
    this.owner = owner
    this.entries = undefined
  }

  get<T>(key: string | object): T | undefined {
    return this.entries?.get(key) as T | undefined
  }

  set(key: string | object, value: unknown): void {
    this.entries ??= new Map()
    this.entries.set(key, value)
  }
}

export type { Memo }

const memo = Symbol('toolwire memo')
/** Of objects that somebody else had frozen already, which take no mark. */
const foreign = new WeakMap<object, Memo>()

/** Freezes a value and everything in it, and marks it as frozen by this library. Returns the same object. */
export function freeze<T extends object>(value: T): T {
  const isExtensible = Object.isExtensible(value)
  if (!isExtensible && memoOf(value) !== undefined) return value
  if (isExtensible) Object.defineProperty(value, memo, { value: new Memo(value) })
  else foreign.set(value, new Memo(value))
  freezeDeep(value)
  return value
}

/** Whether the library froze this very object, so that what is remembered of it can never go stale. */
export function isFrozen(value: object): boolean {
  const own = (value as { readonly [memo]?: unknown })[memo]
  return own instanceof Memo ? own.owner === value : memoOf(value) !== undefined
}

/** The memory of an object that the library froze. */
export function memoOf(value: object): Memo | undefined {
  const own = (value as { readonly [memo]?: unknown })[memo]
  if (own instanceof Memo && own.owner === value) return own
  return own === undefined && Object.isFrozen(value) ? foreign.get(value) : undefined
}

function freezeDeep(value: object): void {
  for (const key of Object.keys(value)) {
    const member: unknown = (value as { readonly [key: string]: unknown })[key]
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member)) freezeDeep(member)
  }
  Object.freeze(value)
}
