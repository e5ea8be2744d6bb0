// Lets a call start when its tool's limits and the batch's slots allow it. Trap: a call never holds a slot of the batch while
// it waits for its tool's limits, or one limited tool would stop all others.
import type { ToolFailure } from '../conversation/messages.js'
import { type Clock, remainingMs } from './clock.js'
import type { Gate, Pass, RateWindow, ToolBudget } from './limits.js'
import { race, type Soon } from './race.js'
import type { AnyTool } from './tool.js'

export type Admission =
  /** `leave` is called once. */
  | { readonly state: 'admitted'; leave(): void }
  | { readonly state: 'rate_limited'; readonly retryAfterMs: number }
  | { readonly state: 'timed_out' }
  | { readonly state: 'aborted' }

export interface AdmissionLimits {
  readonly slots: Gate
  readonly signals: readonly AbortSignal[]
  readonly clock: Clock
  /** When the batch must be over, on the clock. */
  readonly deadlineAt: number
  /** The longest wait for a rate limit; a longer one is answered at once. */
  readonly patienceMs: number
}

/** Waits for a place among the tool's own calls, for its rate limit, and for a slot. The holder must leave. */
export function admit(budget: ToolBudget, limits: AdmissionLimits): Soon<Admission> {
  const { slots } = limits
  const isFree = budget.gate === undefined && budget.window === undefined && slots.take()
  return isFree ? { state: 'admitted', leave: slots.giveBack } : admitLater(budget, limits)
}

async function admitLater(budget: ToolBudget, limits: AdmissionLimits): Promise<Admission> {
  const seat = budget.gate?.enter()
  const seated = seat === undefined ? 'inside' : await entered(seat, limits)
  const started = seated === 'inside' ? await start(budget.window, limits) : { state: seated }
  if (started.state !== 'admitted') {
    seat?.leave()
    return started
  }
  const leave = (): void => {
    started.leave()
    seat?.leave()
  }
  return { state: 'admitted', leave }
}

/** Reserves a start, waits for it, and takes a slot; when the slot came late and the window is full by then, again. */
async function start(window: RateWindow | undefined, limits: AdmissionLimits): Promise<Admission> {
  const { clock } = limits
  let patienceMs = limits.patienceMs
  for (;;) {
    const now = clock.now()
    const reserved = window?.reserve(now) ?? now
    const waitMs = reserved - now
    if (waitMs > Math.min(patienceMs, limits.deadlineAt - now) || waitMs === Number.POSITIVE_INFINITY) {
      window?.cancel(reserved)
      return { state: 'rate_limited', retryAfterMs: Math.ceil(waitMs) }
    }
    patienceMs -= waitMs
    const waited = waitMs > 0 ? await sleep(waitMs, limits) : 'over'
    const slot = waited === 'over' ? limits.slots.enter() : undefined
    const place = slot === undefined ? waited : await entered(slot, limits)
    if (slot === undefined || place !== 'inside') {
      slot?.leave()
      window?.cancel(reserved)
      return { state: place === 'aborted' ? 'aborted' : 'timed_out' }
    }
    const onTime = window === undefined || !slot.queued || window.move(reserved, clock.now())
    if (onTime) return { state: 'admitted', leave: slot.leave }
    slot.leave()
  }
}

async function entered(pass: Pass, limits: AdmissionLimits): Promise<'inside' | 'timed_out' | 'aborted'> {
  if (!pass.queued) return 'inside'
  const { signals, clock } = limits
  const raced = await race(() => pass.ready, { signals, clock, timeoutMs: remainingMs(limits.deadlineAt, clock) })
  return raced.state === 'done' ? 'inside' : raced.state === 'aborted' ? 'aborted' : 'timed_out'
}

async function sleep(ms: number, limits: AdmissionLimits): Promise<'over' | 'aborted'> {
  const raced = await race(() => new Promise<never>(() => {}), { ...limits, timeoutMs: ms })
  return raced.state === 'aborted' ? 'aborted' : 'over'
}

/** What the model reads when a call was not let in because of its tool's rate limit. */
export function rateLimited(tool: AnyTool, retryAfterMs: number): ToolFailure {
  const { calls, perMs } = tool.rateLimit ?? { calls: 0, perMs: 0 }
  const details = { retryAfterMs: String(retryAfterMs) }
  return { category: 'rate_limited', message: `"${tool.name}" may be called ${calls} times in ${perMs} ms`, details }
}
