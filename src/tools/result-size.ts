// One size for every result: long text keeps its head and its tail, and says what is missing in between.

/** The UTF-8 length of a text, without making the bytes. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    // A surrogate pair is four bytes in two units; a lone surrogate is sent as U+FFFD, three bytes.
    if (unit < 0x800 || isPair(text, index)) bytes += 1
    else bytes += isPair(text, index - 1) ? 1 : 2
  }
  return bytes
}

/** The text when it fits in `maxBytes`; else its head and tail around a line that says how much was left out. */
export function capText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const total = byteLength(text)
  if (total <= maxBytes) return text
  const room = Math.max(0, maxBytes - byteLength(gapLine(total, total)))
  const head = prefixOf(text, Math.ceil(room / 2))
  const tail = suffixOf(text, Math.floor(room / 2))
  return `${head}${gapLine(total - byteLength(head) - byteLength(tail), total)}${tail}`
}

function gapLine(leftOut: number, total: number): string {
  return `\n[… ${leftOut} of ${total} bytes left out …]\n`
}

function isPair(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}

/** The longest prefix of whole characters in `maxBytes`. */
function prefixOf(text: string, maxBytes: number): string {
  let end = Math.min(text.length, maxBytes)
  for (let excess = 1; excess > 0; ) {
    if (end > 0 && isPair(text, end - 1)) end -= 1
    excess = byteLength(text.slice(0, end)) - maxBytes
    // A character unit has at most three bytes, so this never takes away too many.
    if (excess > 0) end -= Math.ceil(excess / 3)
  }
  return text.slice(0, end)
}

function suffixOf(text: string, maxBytes: number): string {
  let start = Math.max(0, text.length - maxBytes)
  for (let excess = 1; excess > 0; ) {
    if (start > 0 && isPair(text, start - 1)) start += 1
    excess = byteLength(text.slice(start)) - maxBytes
    if (excess > 0) start += Math.ceil(excess / 3)
  }
  return text.slice(start)
}
