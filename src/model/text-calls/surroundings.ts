// Whether a place in a text is quoted: inside a fence, behind an opening quote or backtick, or on a line that quotes somebody.
// The trap: calls bring fences and quotes of their own, so only the text between calls counts. It is read once.

export class Surroundings {
  #fences = 0
  /** Backticks of the current line. */
  #ticks = 0
  /** The first characters of the current line. */
  #head = ''
  /** The last character of the current line that is no space. */
  #last = ''

  /** Takes the next text between two calls. */
  add(text: string): void {
    this.#fences += countOf('```', text)
    const newline = text.lastIndexOf('\n')
    if (newline !== -1) {
      this.#ticks = 0
      this.#head = ''
      this.#last = ''
    }
    const line = text.slice(newline + 1)
    this.#ticks += countOf('`', line)
    if (this.#head.length < headLength) this.#head = (this.#head + line.trimStart()).slice(0, headLength)
    this.#last = line.trimEnd().at(-1) ?? this.#last
  }

  /** Whether what follows is quoted. */
  isQuoting(): boolean {
    const isQuoteLine = this.#head.startsWith('>') && this.#head !== '>>>'
    return this.#fences % 2 === 1 || this.#ticks % 2 === 1 || isQuoteLine || quotes.has(this.#last)
  }
}

const headLength = 3
const quotes: ReadonlySet<string> = new Set(['`', '"', "'", '“', '‘'])

function countOf(sign: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) count += 1
  return count
}
