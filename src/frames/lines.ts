// Text to lines, whatever the cuts. Trap: a line may end in LF, CR or CRLF, and a CRLF may be cut in two.
import { type Limits, overLimit } from './limits.js'

/**
 * Takes pieces of text; gives the text whose lines are complete, every line end an LF, and keeps what follows the last
 * LF (the text given may still end with it: read up to the last LF only). Every piece is searched once, however small.
 */
export function splitLines(limits: Limits): (piece: string) => string {
  let rest: string[] = []
  let restLength = 0
  let afterReturn = false
  return (piece) => {
    let text = piece
    if (afterReturn && text !== '') {
      if (text.charCodeAt(0) === 10) text = text.slice(1)
      afterReturn = false
    }
    if (text.includes('\r')) {
      afterReturn = text.endsWith('\r')
      text = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
    }
    // Asked first whether there is one at all: `lastIndexOf` is many times slower than `includes`.
    const whole = text.includes('\n') ? text.lastIndexOf('\n') + 1 : 0
    if (whole === text.length && rest.length === 0) return text
    restLength = (whole > 0 ? 0 : restLength) + text.length - whole
    if (restLength > limits.lineBytes) throw overLimit('line', limits)
    rest.push(text)
    if (whole === 0) return ''
    // Joined, not added: reading characters of an added string costs several times as much.
    const lines = rest.length === 1 ? text : rest.join('')
    rest = whole === text.length ? [] : [text.slice(whole)]
    return lines
  }
}
