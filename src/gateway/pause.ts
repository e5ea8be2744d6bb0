// Long work in steps: between two of them other requests are served. Each step below takes tens of milliseconds at most.

/** Characters of a request body, parts of an answer and events of a stream that take about as long to read or write as a pause. */
export const longBody = 65_536
export const manyParts = 200
export const manyEvents = 1_000

/** Lets the runtime serve other requests first. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve)
  })
}
