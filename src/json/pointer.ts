// JSON Pointers (RFC 6901): how losses and issues name a place in a value.

/** The reference tokens of a pointer, unescaped. */
export function pointerKeys(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A pointer to a member of what `pointer` names. */
export function at(pointer: string, key: PropertyKey): string {
  return `${pointer}/${typeof key === 'number' ? key : escaped(String(key))}`
}

/** The place as code has it: `messages[0].content` for `/messages/0/content`. */
export function pointerName(pointer: string): string {
  let name = ''
  for (const key of pointerKeys(pointer)) {
    if (/^\d+$/.test(key)) name += `[${key}]`
    else name += name === '' ? key : `.${key}`
  }
  return name
}

/** Hardly a key needs it, and every place that is looked at gets a pointer: searching costs less than replacing. */
function escaped(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}
