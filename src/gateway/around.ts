// What a program may put around a request to see it from its arrival to its last byte. Trap: it is foreign code; whatever it
// does, the request is served once, and nobody waits for it.
import { notify } from '../tools/audit.js'
import type { GatewayLogRecord } from './options.js'

/** A request when it arrives. Its headers have lower-case names, and hold the key of the client. */
export interface ArrivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** `serve` gives the record when the last byte is gone. What it is called within (a context) holds for the request. */
export type AroundRequest = (request: ArrivedRequest, serve: () => Promise<GatewayLogRecord>) => unknown

/** `serve` is told where the record belongs. */
export function servedAround<Answer>(
  around: AroundRequest | undefined,
  arrived: () => ArrivedRequest,
  serve: (over?: (record: GatewayLogRecord) => void) => Promise<Answer>,
): Promise<Answer> {
  if (around === undefined) return serve()
  let over = (_: GatewayLogRecord): void => {}
  const record = new Promise<GatewayLogRecord>((resolve) => {
    over = resolve
  })
  let answer: Promise<Answer> | undefined
  const once = (): Promise<Answer> => {
    answer ??= serve(over)
    return answer
  }
  notify(() =>
    around(arrived(), () => {
      once().catch(() => {}) // told to whoever asked
      return record
    }),
  )
  return once()
}
