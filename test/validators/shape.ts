// Reading unknown JSON for the validators: every question reports what is wrong and where. Knows no wire.

export type Members = { readonly [key: string]: unknown }
/** What a provider would refuse, one line each. */
export type Problems = string[]

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member; what a prototype offers is not there. */
export function member(value: Members, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

export function has(value: Members, key: string): boolean {
  return member(value, key) !== undefined
}

export function object(value: unknown, path: string, problems: Problems): Members {
  if (isMembers(value)) return value
  problems.push(`${path}: must be an object`)
  return {}
}

export function list(value: unknown, path: string, problems: Problems, minimum = 0): readonly unknown[] {
  if (!Array.isArray(value)) {
    problems.push(`${path}: must be a list`)
    return []
  }
  if (value.length < minimum) problems.push(`${path}: must not be empty`)
  return value
}

export function text(value: unknown, path: string, problems: Problems): string {
  if (typeof value === 'string') return value
  problems.push(`${path}: must be a string`)
  return ''
}

export function matching(value: unknown, pattern: RegExp, path: string, problems: Problems): string {
  const found = text(value, path, problems)
  if (!pattern.test(found)) problems.push(`${path}: ${JSON.stringify(found)} does not match ${pattern.source}`)
  return found
}

export function oneOf(value: unknown, allowed: readonly unknown[], path: string, problems: Problems): void {
  if (!allowed.includes(value)) problems.push(`${path}: ${JSON.stringify(value)} is not one of ${allowed.join(', ')}`)
}

export function number(value: unknown, minimum: number, maximum: number, path: string, problems: Problems): void {
  if (typeof value !== 'number' || value < minimum || value > maximum) {
    problems.push(`${path}: must be a number from ${minimum} to ${maximum}`)
  }
}

export function integer(value: unknown, minimum: number, path: string, problems: Problems): void {
  if (!Number.isInteger(value) || (value as number) < minimum) {
    problems.push(`${path}: must be an integer of at least ${minimum}`)
  }
}

/** Members that may be left out or null; otherwise the check applies. */
export function whenGiven(
  owner: Members,
  keys: readonly string[],
  path: string,
  check: (value: unknown, path: string) => void,
): void {
  for (const key of keys) {
    const value = member(owner, key)
    if (value !== undefined && value !== null) check(value, `${path}/${key}`)
  }
}

export function refuse(owner: Members, keys: readonly string[], path: string, problems: Problems): void {
  for (const key of keys) if (has(owner, key)) problems.push(`${path}/${key}: is not permitted here`)
}

/** No two of these may be equal. */
export function distinct(values: readonly string[], path: string, what: string, problems: Problems): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) problems.push(`${path}: the ${what} ${JSON.stringify(value)} occurs twice`)
    seen.add(value)
  }
}

/** A tool's input schema: its root is an object schema, its properties are schemas, what is required is named. */
export function objectSchema(value: unknown, path: string, problems: Problems): Members {
  const schema = object(value, path, problems)
  if (member(schema, 'type') !== 'object') problems.push(`${path}/type: must be "object"`)
  const properties = has(schema, 'properties')
    ? object(member(schema, 'properties'), `${path}/properties`, problems)
    : {}
  if (has(schema, 'required')) {
    for (const name of list(member(schema, 'required'), `${path}/required`, problems)) {
      if (typeof name !== 'string' || !Object.hasOwn(properties, name)) {
        problems.push(`${path}/required: ${JSON.stringify(name)} is no property`)
      }
    }
  }
  return properties
}

/** Half a surrogate pair anywhere, in a key or in a string: no provider reads such JSON. */
export function unicode(value: unknown, path: string, problems: Problems): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) problems.push(`${path}: holds half a surrogate pair`)
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      unicode(item, `${path}/${index}`, problems)
    })
  } else if (isMembers(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (!key.isWellFormed()) problems.push(`${path}: a key holds half a surrogate pair`)
      unicode(item, `${path}/${key}`, problems)
    }
  }
}
