// Collects the losses of several calls of one conversation, each distinct loss once. Every call encodes the whole history again, so
// it repeats the losses of the calls before it.
import { pointerKeys } from '../json/pointer.js'
import type { Loss } from './losses.js'
import { requestFields } from './request.js'

export class LossLog {
  readonly #known = new Set<string>()
  readonly #losses: Loss[] = []

  /** All losses so far, in the order they came. */
  get losses(): readonly Loss[] {
    return [...this.#losses]
  }

  /** Whether an earlier call reported it. A loss of an answer is never a repetition. */
  has(loss: Loss): boolean {
    return isOfRequest(loss) && this.#known.has(identityOf(loss))
  }

  /** Returns the losses that no earlier call reported; the same array when all are new. */
  selectNew(losses: readonly Loss[]): readonly Loss[] {
    return losses.some((loss) => this.has(loss)) ? losses.filter((loss) => !this.has(loss)) : losses
  }

  /** Adds the losses of a call. */
  add(losses: readonly Loss[]): void {
    for (const loss of this.selectNew(losses)) this.#losses.push(loss)
    for (const loss of losses) if (isOfRequest(loss)) this.#known.add(identityOf(loss))
  }
}

/** Joins the losses of earlier calls with those of a later one. */
export function mergeLosses(earlier: readonly Loss[], later: readonly Loss[]): readonly Loss[] {
  const log = new LossLog()
  log.add(earlier)
  log.add(later)
  return log.losses
}

/** Whether the path points into the request, which the next request repeats. Other losses point into the answer. */
function isOfRequest({ path }: Loss): boolean {
  const [first] = pointerKeys(path)
  return first !== undefined && requestFields.has(first)
}

function identityOf({ wire, code, path, message }: Loss): string {
  return JSON.stringify([wire, code, path, message])
}
