// No child outlives this process. Trap: `exit` listeners do not run when a signal ends the process, so signals are
// listened to as well, and raised again when nobody else wants them.
import process from 'node:process'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const alive = new Set<number>()

/** Kills the group of the process when this process ends, until the function it returns is called. */
export function guard(pid: number): () => void {
  if (alive.size === 0) {
    process.on('exit', killAll)
    for (const signal of signals) process.on(signal, onSignal)
  }
  alive.add(pid)
  return () => {
    alive.delete(pid)
    if (alive.size > 0) return
    process.off('exit', killAll)
    for (const signal of signals) process.off(signal, onSignal)
  }
}

/** Signals the process and all that it started; those that are gone already are no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    // A group of its own exists where there are groups; elsewhere the process alone is reached.
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // gone
  }
}

function killAll(): void {
  for (const pid of alive) signalGroup(pid, 'SIGKILL')
}

/** Whoever else listens decides how the process ends; alone, it ends as it would have without this listener. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.off(signal, onSignal)
  process.kill(process.pid, signal)
}
