// The gateway's log: JSON lines for machines, one short line for people at a terminal. Bodies and keys never reach it.
import { type Logger, pino } from 'pino'
import type { GatewayLogRecord } from '../gateway/options.js'
import { oneLine, type Paint, painter, type Sink, type Terminal } from './terminal.js'

export interface GatewayLog {
  request(record: GatewayLogRecord): void
  /** Something about the gateway itself, such as a config that was read again. */
  tell(level: 'info' | 'error', message: string): void
  /** Puts off what nobody waits for, such as a line of the log. */
  later(work: () => void): void
  /** Does what was put off; for those who end the process. */
  flush(): void
}

/** How long a line may wait for others to be written with it. */
const gatherMs = 20
/** So much work is done at once, where each costs far less than alone. What waits must be little: it outlives young collections. */
const maxWaiting = 16
/** Then requests have their turn first: to read one long answer for its usage takes longer. */
const maxStepMs = 10

export function gatewayLog({ output, env }: Pick<Terminal, 'output' | 'env'>): GatewayLog {
  const isTerminal = output.isTTY === true
  const lines = isTerminal ? shortLines(output, env) : joinedLines(output)
  /** When the work was put off that is done now. */
  let at: number | undefined
  const logger: Logger = pino({ base: null, timestamp: () => timeMember(at ?? Date.now()) }, lines)
  let waiting: { readonly at: number; readonly work: () => void }[] = []
  let isTimed = false
  const catchUp = (): void => {
    const end = performance.now() + maxStepMs
    const put = waiting
    waiting = []
    for (const [index, one] of put.entries()) {
      if (performance.now() > end) {
        waiting = put.slice(index)
        setImmediate(flush)
        break
      }
      at = one.at
      try {
        one.work()
      } catch (error) {
        logger.error(`what was put off failed: ${String(error)}`)
      }
    }
    at = undefined
  }
  const flush = (): void => {
    isTimed = false
    catchUp()
    lines.flush()
  }
  const later = (work: () => void): void => {
    waiting.push({ at: Date.now(), work })
    if (isTerminal) flush()
    else if (!isTimed) setTimeout(flush, gatherMs)
    else if (waiting.length === maxWaiting) setImmediate(catchUp)
    isTimed = !isTerminal
  }
  /** What is told in the midst of work that was put off has its time. */
  const write = (level: Level, record: Partial<GatewayLogRecord>): void => {
    if (at === undefined) later(() => writeLine(logger, level, record))
    else writeLine(logger, level, record)
  }
  return {
    request: (record) => write(levelOf(record.status, record.error), record),
    tell: (level, message) => write(level, { message }),
    later,
    flush() {
      do flush()
      while (waiting.length > 0)
    },
  }
}

type Level = 'info' | 'warn' | 'error'

function writeLine(logger: Logger, level: Level, record: Partial<GatewayLogRecord>): void {
  if (record.message === undefined) {
    logger[level](record)
    return
  }
  const { message, ...rest } = record
  logger[level](rest, message)
}

let second = -1
let upToSecond = ''

/** `,"time":"2026-01-01T00:00:00.000Z"`. To write a date anew for every line costs as much as the rest of it. */
function timeMember(at: number): string {
  const thisSecond = Math.floor(at / 1000)
  if (thisSecond !== second) {
    second = thisSecond
    upToSecond = new Date(at).toISOString().slice(0, 20)
  }
  return `,"time":"${upToSecond}${String(at % 1000).padStart(3, '0')}Z"`
}

function levelOf(status: number, error: string | undefined): Level {
  if (status >= 500) return 'error'
  return status >= 400 || error !== undefined ? 'warn' : 'info'
}

/** Where pino writes its lines. */
interface Lines {
  write(line: string): void
  flush(): void
}

function shortLines(output: Sink, env: Terminal['env']): Lines {
  const paint = painter(output, env)
  return { write: (line) => void output.write(`${shortLine(JSON.parse(line) as Line, paint)}\n`), flush() {} }
}

function joinedLines(output: Sink): Lines {
  let lines = ''
  return {
    write(line) {
      lines += line
    },
    flush() {
      if (lines !== '') output.write(lines)
      lines = ''
    },
  }
}

type Line = Partial<GatewayLogRecord> & { readonly time: string; readonly msg?: string }

function shortLine(line: Line, paint: Paint): string {
  const time = paint('dim', line.time.slice(11, 19))
  if (line.status === undefined) return `${time} ${oneLine(line.msg ?? '', 400)}`
  const status = paint(line.status >= 400 ? 'red' : 'green', String(line.status))
  const tokens = line.outputTokens === undefined ? '' : `${line.inputTokens ?? 0}→${line.outputTokens} tokens`
  const words = [
    `${line.method} ${line.path}`,
    line.client ?? '',
    line.target === undefined ? (line.model ?? '') : `${line.model} → ${line.target}`,
    tokens,
    `${Math.round(line.durationMs ?? 0)} ms`,
    line.losses === undefined ? '' : `lost: ${line.losses.join(', ')}`,
    line.error ?? '',
    line.msg ?? '',
  ]
  return `${time} ${status} ${oneLine(words.filter((word) => word !== '').join('  '), 400)}`
}
