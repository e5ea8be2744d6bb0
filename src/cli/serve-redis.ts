// The Redis that several gateways count in, for those whose config names one. Its libraries are optional.
import { ToolwireError } from '../errors/error.js'
import type { Limiter } from '../gateway/options.js'

export interface SharedLimiter {
  readonly limiter: Limiter
  close(): void
}

/** A call waits for Redis no longer than that: one that stands still refuses calls like one that is away. */
const answerMs = 2_000

/** Counts there until it is closed. While Redis is away calls are refused, not let through uncounted. */
export async function sharedLimiter(url: string, failed: (message: string) => void): Promise<SharedLimiter> {
  const [{ Redis }, { redisLimiter }] = await libraries()
  const client = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: answerMs, connectTimeout: answerMs })
  client.on('error', (error: Error) => failed(`Redis: ${error.message}`))
  return { limiter: redisLimiter(client), close: () => client.disconnect() }
}

async function libraries(): Promise<
  [Pick<typeof import('ioredis'), 'Redis'>, typeof import('../gateway/redis-limiter.js')]
> {
  try {
    return await Promise.all([import('ioredis'), import('../gateway/redis-limiter.js')])
  } catch (cause) {
    const message = 'the config names a Redis, whose libraries are missing; npm install ioredis rate-limiter-flexible'
    throw new ToolwireError('misuse', message, { cause })
  }
}
