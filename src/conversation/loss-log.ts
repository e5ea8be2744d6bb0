// The losses of several calls of one conversation, each distinct one once: every call encodes the whole history again, and reports
// again what the calls before it did.
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

  /** Whether an earlier call reported it. What one answer lost is never a repetition of what another did. */
  has(loss: Loss): boolean {
    return isOfRequest(loss) && this.#known.has(identityOf(loss))
  }

  /** The losses of a call that no earlier one reported; the same array where none was. */
  selectNew(losses: readonly Loss[]): readonly Loss[] {
    return losses.some((loss) => this.has(loss)) ? losses.filter((loss) => !this.has(loss)) : losses
  }

  /** Takes the losses of a call. */
  add(losses: readonly Loss[]): void {
    for (const loss of this.selectNew(losses)) this.#losses.push(loss)
    for (const loss of losses) if (isOfRequest(loss)) this.#known.add(identityOf(loss))
  }
}

/** The losses of earlier calls and those that a later one adds. */
export function mergeLosses(earlier: readonly Loss[], later: readonly Loss[]): readonly Loss[] {
  const log = new LossLog()
  log.add(earlier)
  log.add(later)
  return log.losses
}

/** Whether it is a loss of the request, which the next request repeats; others point into the answer. */
function isOfRequest({ path }: Loss): boolean {
  const [first] = pointerKeys(path)
  return first !== undefined && requestFields.has(first)
}

function identityOf({ wire, code, path, message }: Loss): string {
  return JSON.stringify([wire, code, path, message])
}
