// Many waits on one signal through one listener: platforms warn of a leak at the eleventh, and a turn may have hundreds.

type OnAbort = (reason: unknown) => void
interface Relay {
  readonly waiting: Set<OnAbort>
  readonly listener: () => void
}

const relays = new WeakMap<AbortSignal, Relay>()

/** Calls back once when the signal aborts, which it has not yet, unless the function it returns is called first. */
export function onAbort(signal: AbortSignal, callback: OnAbort): () => void {
  const relay = relays.get(signal) ?? relayOf(signal)
  if (relay.waiting.size === 0) signal.addEventListener('abort', relay.listener)
  relay.waiting.add(callback)
  return () => {
    if (relay.waiting.delete(callback) && relay.waiting.size === 0) {
      signal.removeEventListener('abort', relay.listener)
    }
  }
}

/** The same for who mostly is the only one to wait on a signal: through the one listener only where there is one already. */
export function onOwnAbort(signal: AbortSignal, callback: OnAbort): () => void {
  if (relays.has(signal)) return onAbort(signal, callback)
  const listener = (): void => callback(signal.reason)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

function relayOf(signal: AbortSignal): Relay {
  const waiting = new Set<OnAbort>()
  const listener = (): void => {
    // Each callback takes itself out, and others with it.
    for (const callback of [...waiting]) if (waiting.has(callback)) callback(signal.reason)
  }
  const relay = { waiting, listener }
  relays.set(signal, relay)
  return relay
}
