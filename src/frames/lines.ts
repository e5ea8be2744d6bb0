// Text to lines, whatever the cuts. Trap: a line may end in LF, CR or CRLF, and a CRLF may be cut in two.
import { type Limits, overLimit } from './limits.js'

/** Takes complete lines, every line end an LF: those of `text` from `from` up to its last LF. What follows is not complete yet. */
export type TakeLines = (text: string, from: number) => void

/** Takes pieces of text and hands on the lines they complete. Every piece is searched once, however small, and none is copied. */
export function splitLines(limits: Limits, take: TakeLines): (piece: string) => void {
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
    const first = text.indexOf('\n') + 1
    const whole = first === 0 ? 0 : text.lastIndexOf('\n') + 1
    if (first > 0 && rest.length > 0) {
      // With the character that follows, by which some lines are known to be whole.
      rest.push(text.slice(0, text.charCodeAt(first) === 10 ? first : first + 1))
      // Joined, not added: reading characters of an added string costs several times as much.
      const line = rest.join('')
      rest = []
      take(line, 0)
      if (whole > first) take(text, first)
    } else if (whole > 0) take(text, 0)
    restLength = (whole > 0 ? 0 : restLength) + text.length - whole
    if (restLength > limits.lineBytes) throw overLimit('line', limits)
    if (whole < text.length) rest.push(text.slice(whole))
  }
}
