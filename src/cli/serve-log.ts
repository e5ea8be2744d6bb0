// The gateway's log: JSON lines for machines, one short line for people at a terminal. Bodies and keys never reach it.
import { type Logger, pino } from 'pino'
import type { GatewayLogRecord } from '../gateway/options.js'
import { oneLine, type Paint, painter, type Sink, type Terminal } from './terminal.js'

export interface GatewayLog {
  request(record: GatewayLogRecord): void
  /** Something about the gateway itself, such as a config that was read again. */
  tell(level: 'info' | 'error', message: string): void
  /** Writes what waits for more lines; for those who end the process. */
  flush(): void
}

export function gatewayLog({ output, env }: Pick<Terminal, 'output' | 'env'>): GatewayLog {
  const sink = sinkFor(output, env)
  const logger: Logger = pino({ base: null, timestamp: timeMember }, sink)
  return {
    request(record) {
      const level = levelOf(record.status, record.error)
      if (record.message === undefined) {
        logger[level](record)
        return
      }
      const { message, ...rest } = record
      logger[level](rest, message)
    },
    tell: (level, message) => logger[level](message),
    flush: sink.flush,
  }
}

let second = -1
let upToSecond = ''

/** `,"time":"2026-01-01T00:00:00.000Z"`. To write a date anew for every line costs as much as the rest of it. */
function timeMember(): string {
  const now = Date.now()
  const thisSecond = Math.floor(now / 1000)
  if (thisSecond !== second) {
    second = thisSecond
    upToSecond = new Date(now).toISOString().slice(0, 20)
  }
  return `,"time":"${upToSecond}${String(now % 1000).padStart(3, '0')}Z"`
}

function levelOf(status: number, error: string | undefined): 'info' | 'warn' | 'error' {
  if (status >= 500) return 'error'
  return status >= 400 || error !== undefined ? 'warn' : 'info'
}

interface LineSink {
  write(line: string): void
  flush(): void
}

function sinkFor(output: Sink, env: Terminal['env']): LineSink {
  if (output.isTTY !== true) return gathering(output)
  const paint = painter(output, env)
  return { write: (line) => void output.write(`${shortLine(JSON.parse(line) as Line, paint)}\n`), flush() {} }
}

/** How long a line may wait for others to be written with it. */
const gatherMs = 20

/** The lines of a short while in one write. */
function gathering(output: Sink): LineSink {
  let lines = ''
  const flush = (): void => {
    if (lines !== '') output.write(lines)
    lines = ''
  }
  return {
    write(line) {
      if (lines === '') setTimeout(flush, gatherMs)
      lines += line
    },
    flush,
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
