// The terminal as the commands use it: colours only where they are wanted, one spinner, and foreign text that cannot steer it.
// The trap: a model's words and a tool's results may hold escape sequences; they are taken out before a terminal sees them.

export type Environment = Readonly<Record<string, string | undefined>>

/** What is needed of `process.stdout` and `process.stderr`. */
export interface Sink {
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly writableNeedDrain?: boolean | undefined
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
type Style = keyof typeof codes
export type Paint = (style: Style, text: string) => string

/** FORCE_COLOR wins over NO_COLOR, as in Node; without either a terminal that is not dumb gets colours. */
export function wantsColour(sink: Sink, env: Environment): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: terminal } = env
  if (force !== undefined) return force !== '0' && force !== 'false'
  if (none !== undefined && none !== '') return false
  return sink.isTTY === true && terminal !== 'dumb'
}

export function painter(sink: Sink, env: Environment): Paint {
  if (!wantsColour(sink, env)) return (_style, text) => text
  return (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`
}

/** Text that may have lines and tabs, without what moves the cursor, recolours, or turns the direction of writing. */
export function harmless(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
}

/** Foreign text on one line of at most `width` characters; what is cut off is shown by an ellipsis. */
export function oneLine(text: string, width: number): string {
  // Only the beginning is looked at: a result may be megabytes.
  const plain = harmless(text.slice(0, width * 8).replace(/\s+/g, ' ')).trim()
  const characters = [...plain]
  const isCut = characters.length > width || text.length > width * 8
  return isCut ? `${characters.slice(0, Math.max(0, width - 1)).join('')}…` : plain
}

/** A terminal may say that it has no columns at all. */
export function widthOf({ columns }: Sink, otherwise: number): number {
  return columns === undefined || columns === 0 ? otherwise : columns
}

export interface Spinner {
  /** Shows the label, or changes it. */
  start(label: string): void
  /** Clears its line. Must be called before anything else is written. */
  stop(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

/** Turns on a terminal; does nothing anywhere else. */
export function createSpinner(sink: Sink, paint: Paint, env: Environment): Spinner {
  if (sink.isTTY !== true || env.TERM === 'dumb') return { start() {}, stop() {} }
  let timer: ReturnType<typeof setInterval> | undefined
  let label = ''
  let frame = 0
  const draw = (): void => {
    sink.write(`\r\u001b[K${paint('cyan', frames[frame % frames.length] ?? '')} ${paint('dim', label)}`)
    frame += 1
  }
  return {
    start(text) {
      label = oneLine(text, Math.max(1, widthOf(sink, 80) - 3))
      if (timer !== undefined) return
      draw()
      timer = setInterval(draw, 80)
      timer.unref()
    },
    stop() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      sink.write('\r\u001b[K')
    },
  }
}

/** Where the commands write: answers to `output`, everything about them to `error`. */
export interface Terminal {
  readonly output: Sink
  readonly error: Sink
  readonly env: Environment
  /** For lines on `error`. */
  readonly paint: Paint
  readonly spinner: Spinner
  /** A line on `error`. */
  say(line: string): void
  /** Keeps lines and the spinner back while a person types, until the function it returns is called. */
  hold(): () => void
}

export function createTerminal(output: Sink, error: Sink, env: Environment): Terminal {
  const paint = painter(error, env)
  const spinner = createSpinner(error, paint, env)
  let held: string[] | undefined
  const say = (line: string): void => {
    spinner.stop()
    if (held === undefined) error.write(`${line}\n`)
    else held.push(line)
  }
  return {
    output,
    error,
    env,
    paint,
    spinner: { stop: spinner.stop, start: (label) => (held === undefined ? spinner.start(label) : undefined) },
    say,
    hold() {
      spinner.stop()
      held = []
      return () => {
        const lines = held ?? []
        held = undefined
        for (const line of lines) say(line)
      }
    },
  }
}
