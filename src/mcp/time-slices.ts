// Long work in slices, so that a program with many tools still answers everybody else. Portable: it needs timers only.

const sliceMs = 20

/** Call it between two steps and await what it returns: once a slice is used up, that lets other tasks run first. */
export function createTimeSlices(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let end = now() + sliceMs
  return () => {
    if (now() < end) return undefined
    return new Promise((resolve) => {
      setTimeout(() => {
        end = now() + sliceMs
        resolve()
      }, 0)
    })
  }
}
