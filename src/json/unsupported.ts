// Objects that JSON writes as `{}` although they hold something: what they are, and what to return instead.

export interface Unsupported {
  /** With its article: "a stream". */
  readonly kind: string
  readonly remedy: string
}

const streamRemedy = 'read it to its end and return its text or data'
const bytesRemedy = 'return text, base64 in a string, or an image part'

/** Says why an object has no JSON form; undefined for one that is written by its own members. */
export function findUnsupported(value: object): Unsupported | undefined {
  const members = value as { readonly [key: PropertyKey]: unknown }
  if (typeof members[Symbol.asyncIterator] === 'function') {
    return { kind: isNamed(value, 'ReadableStream') ? 'a stream' : 'an async iterator', remedy: streamRemedy }
  }
  if (isNamed(value, 'Response') || isNamed(value, 'Request')) {
    return { kind: `a ${value.constructor.name}`, remedy: 'return await response.text() or await response.json()' }
  }
  if (isNamed(value, 'ReadableStream') || isNamed(value, 'WritableStream')) {
    return { kind: 'a stream', remedy: streamRemedy }
  }
  if (isBinary(value)) return { kind: 'binary data', remedy: bytesRemedy }
  if (typeof members[Symbol.iterator] === 'function' || isBareIterator(members)) {
    return { kind: 'an iterator', remedy: 'collect its items into an array' }
  }
  if (typeof members.then === 'function') return { kind: 'a promise inside the value', remedy: 'await it first' }
  if (isPlain(value) || Object.keys(value).length > 0) return undefined
  const name = nameOf(value)
  const kind = name === undefined ? 'an object without members of its own' : `an instance of ${name} without fields`
  return { kind, remedy: 'return a plain object, or give the class a toJSON method' }
}

/** Binary data without JSON; numbers in typed arrays are shown as a list. */
function isBinary(value: object): boolean {
  return (
    value instanceof ArrayBuffer ||
    value instanceof DataView ||
    isNamed(value, 'SharedArrayBuffer') ||
    isNamed(value, 'Blob') ||
    isNamed(value, 'File')
  )
}

/** A generator of another making: `next` on a prototype, where JSON does not look. */
function isBareIterator(members: { readonly [key: PropertyKey]: unknown }): boolean {
  return typeof members.next === 'function' && !Object.hasOwn(members, 'next')
}

/** By the name of its class, as classes of another realm or of a package are not those of the platform. */
function isNamed(value: object, name: string): boolean {
  return (value as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === name
}

function nameOf(value: object): string | undefined {
  const made: unknown = value.constructor
  return typeof made === 'function' && made.name !== '' ? made.name : undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
