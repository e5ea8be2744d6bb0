// How fast one answer may go while others are served. The trap: that the system took what was written does not say that the client
// reads. It takes megabytes for one that never does, and the others would wait for the work, and for what it leaves to be collected.

/** What an answer may have at once. */
const freeBytes = 128 * 1024
/** What all answers share from then on, and what each may have however many they are: as much as five hundred tokens a second take. */
const sharedBytesPerMs = 32 * 1024
const leastBytesPerMs = 128
/** The longest rest, however large the last piece was. */
const maxRestMs = 512
/** When nobody else was served for so long, there is nobody to wait for. */
const aloneMs = 100

/** Answers in pieces that are not at their end. */
let open = 0
/** The answer that was served last, and since when it is the only one. */
let last: object | undefined
let aloneSince = 0

/** Takes note that an answer has its turn; whether it is the only one of late. */
export function takeTurn(answer: object, now: number): boolean {
  if (last !== answer) {
    last = answer
    aloneSince = now
  }
  return now - aloneSince > aloneMs
}

/** One answer in pieces, from its beginning to its `end`. */
export class Pace {
  #owedBytes = 0
  #countedAt = 0

  constructor() {
    open += 1
  }

  /** How long it has to rest after a piece; 0 for an answer that nobody else could be waiting for. */
  restMs(pieceBytes: number, now: number): number {
    const isAlone = takeTurn(this, now)
    const bytesPerMs = Math.max(leastBytesPerMs, sharedBytesPerMs / open)
    const owedBytes = Math.max(0, this.#owedBytes - (now - this.#countedAt) * bytesPerMs) + pieceBytes
    const restMs = Math.min(maxRestMs, (owedBytes - freeBytes) / bytesPerMs)
    this.#countedAt = now
    this.#owedBytes = restMs <= 0 ? owedBytes : freeBytes + restMs * bytesPerMs
    return restMs < 1 || isAlone ? 0 : restMs
  }

  end(): void {
    open -= 1
  }
}
