// Bytes to text, whatever the cuts: a character cut in two comes with its last byte. A byte order mark is dropped at
// the start only.
import { type Limits, overLimit } from './limits.js'

export interface TextReader {
  push(bytes: Uint8Array): string
  /** A character that never got its last byte, as U+FFFD. */
  end(): string
}

/** Up to this many bytes the cost of a decoder is that of the call. */
const smallPiece = 512
/** Decodes what is whole, and remembers nothing: one for all. */
const whole = textDecoder()

function textDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

/**
 * Decodes UTF-8 as it comes and holds the cap on the whole. Node decodes small or ASCII pieces several times faster
 * whole than as a stream, and large other ones several times slower: what the last piece was decides for the next.
 */
export function readText(limits: Limits): TextReader {
  /** Made when a piece asks for it: a decoder takes more memory than all else here. */
  let streaming: TextDecoder | undefined
  let total = 0
  let started = false
  let isAscii = true
  /** The last piece may have ended inside a character, whose first bytes the streaming decoder holds. */
  let mayBeCut = false

  const dropMark = (text: string): string => {
    if (started || text === '') return text
    started = true
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
  return {
    push(bytes) {
      const length = bytes.byteLength
      total += length
      if (total > limits.totalBytes) throw overLimit('total', limits)
      if (length === 0) return ''
      const wasCut = mayBeCut
      mayBeCut = (bytes[length - 1] ?? 0) >= 0x80
      const asWhole = !wasCut && !mayBeCut && (isAscii || length <= smallPiece)
      if (!asWhole) streaming ??= textDecoder()
      const text = asWhole ? whole.decode(bytes) : (streaming?.decode(bytes, { stream: true }) ?? '')
      isAscii = text.length === length
      return dropMark(text)
    },
    end: () => dropMark(streaming?.decode() ?? ''),
  }
}
