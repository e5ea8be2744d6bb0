// What Restate's SDK calls and Node 20 does not have. Without it an invocation never answers, and nothing tells why.

/** Gives `Promise.withResolvers` to a system that has none. */
export function ensureWithResolvers(): void {
  if ('withResolvers' in Promise) return
  const withResolvers = <T>(): object => {
    let settle: object | undefined
    const promise = new Promise<T>((resolve, reject) => {
      settle = { resolve, reject }
    })
    return { promise, ...settle }
  }
  Object.defineProperty(Promise, 'withResolvers', { value: withResolvers, configurable: true, writable: true })
}
