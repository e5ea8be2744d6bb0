// The gateway's log: JSON lines for machines, one short line for people at a terminal. Bodies and keys never reach it.
import { type Logger, pino } from 'pino'
import type { GatewayLogRecord } from '../gateway/options.js'
import { oneLine, type Paint, painter, type Sink, type Terminal } from './terminal.js'

export interface GatewayLog {
  request(record: GatewayLogRecord): void
  /** Something about the gateway itself, such as a config that was read again. */
  tell(level: 'info' | 'error', message: string): void
}

export function gatewayLog({ output, env }: Pick<Terminal, 'output' | 'env'>): GatewayLog {
  const logger: Logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, sinkFor(output, env))
  return {
    request({ message, ...record }) {
      logger[levelOf(record.status, record.error)](record, message)
    },
    tell: (level, message) => logger[level](message),
  }
}

function levelOf(status: number, error: string | undefined): 'info' | 'warn' | 'error' {
  if (status >= 500) return 'error'
  return status >= 400 || error !== undefined ? 'warn' : 'info'
}

function sinkFor(output: Sink, env: Terminal['env']): { write(line: string): void } {
  if (output.isTTY !== true) return { write: (line) => void output.write(line) }
  const paint = painter(output, env)
  return { write: (line) => void output.write(`${shortLine(JSON.parse(line) as Line, paint)}\n`) }
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
