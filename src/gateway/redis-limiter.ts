// The limits of several gateways, counted in one Redis. Places for calls at once are leases: those of a gateway that died expire.
// The door `toolwire/gateway/redis`; rate-limiter-flexible is an optional peer.
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { ToolwireError } from '../errors/error.js'
import type { Admission, KeyLimits, Limiter } from './options.js'

/** What is needed of a client, as `ioredis` has it. Give it a `commandTimeout`: a call waits as long as its commands do. */
export interface RedisClient {
  eval(script: string, keyCount: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
}

/** Where the counts are in Redis, and how long a call that was never ended counts. */
export interface RedisLimiterOptions {
  /** In front of all keys in Redis; `toolwire`. */
  readonly prefix?: string | undefined
  /**
   * How long the places of a gateway that died still count, in milliseconds; 10,000. A living gateway renews all its places three
   * times as often, with one command for each key.
   */
  readonly leaseMs?: number | undefined
}

const minuteSeconds = 60
const busyWaitMs = 1_000

/**
 * Takes a place, or says that there is none; places whose time is over count no more. Redis's own clock counts; where it was set
 * back, places end no later than a lease from now.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. (now + ARGV[3]), '+inf')) do
  redis.call('ZADD', KEYS[1], now + ARGV[3], id)
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`
/** Renews the places of a gateway; one that expired meanwhile, because the gateway was held up, counts again. */
const renewScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[index]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`
const freeScript = `return redis.call('ZREM', KEYS[1], ARGV[1])`

/** Requests and tokens count in minutes that begin with the first call. Without Redis nobody is admitted. */
export function redisLimiter(client: RedisClient, options: RedisLimiterOptions = {}): Limiter {
  const { prefix = 'toolwire', leaseMs = 10_000 } = options
  const leases = leaseHolder(client, leaseMs)
  const requests = counters(client, `${prefix}:requests`)
  const tokens = counters(client, `${prefix}:tokens`)
  return {
    async admit(key, limits) {
      try {
        return await admission(key, limits)
      } catch (cause) {
        const message = 'the limits of this key cannot be counted at the moment; try again soon'
        throw new ToolwireError('overloaded', message, { cause, retryAfterMs: busyWaitMs })
      }
    },
  }
  /** A request is counted last: a call that is refused for another reason costs none. */
  async function admission(
    key: string,
    { requestsPerMinute, tokensPerMinute, concurrency }: KeyLimits,
  ): Promise<Admission> {
    const used = tokensPerMinute === undefined ? null : await tokens(tokensPerMinute).get(key)
    if (tokensPerMinute !== undefined && used !== null && used.consumedPoints >= tokensPerMinute) {
      return { admitted: false, limit: 'tokens', retryAfterMs: used.msBeforeNext }
    }
    const place = concurrency === undefined ? free : await leases(`${prefix}:calls:${key}`, concurrency)
    if (place === undefined) return { admitted: false, limit: 'concurrency', retryAfterMs: busyWaitMs }
    const retryAfterMs =
      requestsPerMinute === undefined ? undefined : await spent(requests(requestsPerMinute), key, place)
    if (retryAfterMs !== undefined) return { admitted: false, limit: 'requests', retryAfterMs }
    return {
      admitted: true,
      async release(count) {
        const isCounted = tokensPerMinute !== undefined && count > 0
        await Promise.all([place(), isCounted ? tokens(tokensPerMinute).penalty(key, count) : undefined])
      },
    }
  }
}

const free = async (): Promise<void> => {}

/** One counter for each limit there is; they count the same keys. */
function counters(client: RedisClient, keyPrefix: string): (points: number) => RateLimiterRedis {
  const made = new Map<number, RateLimiterRedis>()
  return (points) => {
    const known = made.get(points)
    if (known !== undefined) return known
    const counter = new RateLimiterRedis({ storeClient: client, keyPrefix, points, duration: minuteSeconds })
    made.set(points, counter)
    return counter
  }
}

/** Counts one; how long to wait when that is too much. The place is given back then. */
async function spent(counter: RateLimiterRedis, key: string, place: () => Promise<void>): Promise<number | undefined> {
  try {
    await counter.consume(key)
    return undefined
  } catch (refusal) {
    await place()
    if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext
    throw refusal
  }
}

/** Takes a place among the calls of a key, renewed until the function returned gives it back; undefined when all are taken. */
type TakeLease = (key: string, limit: number) => Promise<(() => Promise<void>) | undefined>

/** The places that this gateway holds. One timer renews all of them; there is none while it holds nothing. */
function leaseHolder(client: RedisClient, leaseMs: number): TakeLease {
  const held = new Map<string, Set<string>>()
  let renewing: ReturnType<typeof setInterval> | undefined
  const renewAll = (): void => {
    for (const [key, ids] of held) {
      for (const some of splitIds([...ids])) {
        client.eval(renewScript, 1, key, leaseMs, ...some).catch(() => {}) // the places are lost at worst
      }
    }
  }
  const hold = (key: string, id: string): void => {
    const ids = held.get(key) ?? new Set()
    held.set(key, ids.add(id))
    renewing ??= setInterval(renewAll, leaseMs / 3)
  }
  const letGo = (key: string, id: string): void => {
    const ids = held.get(key)
    ids?.delete(id)
    if (ids?.size === 0) held.delete(key)
    if (held.size > 0) return
    clearInterval(renewing)
    renewing = undefined
  }
  return async (key, limit) => {
    const id = crypto.randomUUID()
    const isTaken = await client.eval(takeScript, 1, key, id, limit, leaseMs).catch((error: unknown) => {
      client.eval(freeScript, 1, key, id).catch(() => {}) // Redis may have taken it, or do so later: it expires at worst
      throw error
    })
    if (isTaken !== 1) return undefined
    hold(key, id)
    return async () => {
      letGo(key, id)
      await client.eval(freeScript, 1, key, id)
    }
  }
}

/** Redis takes some thousand arguments at once. */
const maxArguments = 1_000

function splitIds(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / maxArguments) }, (_, index) =>
    ids.slice(index * maxArguments, (index + 1) * maxArguments),
  )
}
