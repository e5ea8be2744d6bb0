// The JSON payloads of a recorded stream, by the simplest reading of each framing.

/** The data of each server-sent event, joined where it has several lines. */
export function sseData(stream: string): readonly string[] {
  return stream
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .map((block) =>
      block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '')
}

/** JSON values that follow each other, one or more lines each. */
export function jsonLines(stream: string): readonly unknown[] {
  const values: unknown[] = []
  let held = ''
  for (const line of stream.split('\n')) {
    held += line
    if (held.trim() === '') continue
    try {
      values.push(JSON.parse(held))
      held = ''
    } catch {
      // The value goes on in the next line.
    }
  }
  return values
}
