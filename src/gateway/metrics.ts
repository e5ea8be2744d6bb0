// What the gateway counts, in the text form that Prometheus reads.
import type { GatewayLogRecord } from './options.js'

const buckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300] as const

interface Series {
  readonly labels: string
  value: number
}

export interface Metrics {
  active: number
  record(record: GatewayLogRecord): void
  text(): string
}

export function createMetrics(): Metrics {
  const requests = new Map<string, Series>()
  const tokens = new Map<string, Series>()
  const losses = new Map<string, Series>()
  const durations = buckets.map(() => 0)
  let count = 0
  let seconds = 0
  /** Told apart by `key`, the values of the labels. */
  const add = (
    family: Map<string, Series>,
    key: string,
    amount: number,
    labels: Readonly<Record<string, string>>,
  ): void => {
    const series = family.get(key)
    if (series === undefined) family.set(key, { labels: labelText(labels), value: amount })
    else series.value += amount
  }
  return {
    active: 0,
    record({
      wire = 'none',
      status,
      client = '',
      error = '',
      inputTokens = 0,
      outputTokens = 0,
      losses: lost = [],
      durationMs,
    }) {
      const key = `${wire} ${status} ${error} ${client}` // only the client's name, the last, may hold a space
      add(requests, key, 1, { wire, status: String(status), client, error })
      if (inputTokens > 0) add(tokens, `input ${client}`, inputTokens, { client, kind: 'input' })
      if (outputTokens > 0) add(tokens, `output ${client}`, outputTokens, { client, kind: 'output' })
      if (lost.length > 0) add(losses, wire, lost.length, { wire })
      count += 1
      seconds += durationMs / 1000
      const first = buckets.findIndex((bound) => durationMs / 1000 <= bound)
      for (let index = first < 0 ? buckets.length : first; index < buckets.length; index += 1)
        durations[index] = (durations[index] ?? 0) + 1
    },
    text() {
      const histogram = buckets.map(
        (bound, index) => `toolwire_request_duration_seconds_bucket{le="${bound}"} ${durations[index]}`,
      )
      return `${[
        ...family('toolwire_requests_total', 'counter', 'Requests answered.', requests),
        ...family('toolwire_tokens_total', 'counter', 'Tokens used, as providers counted them.', tokens),
        ...family('toolwire_losses_total', 'counter', 'Things that did not cross to another wire.', losses),
        '# HELP toolwire_request_duration_seconds Time to the end of the answer.',
        '# TYPE toolwire_request_duration_seconds histogram',
        ...histogram,
        `toolwire_request_duration_seconds_bucket{le="+Inf"} ${count}`,
        `toolwire_request_duration_seconds_sum ${seconds}`,
        `toolwire_request_duration_seconds_count ${count}`,
        '# HELP toolwire_requests_active Calls on their way.',
        '# TYPE toolwire_requests_active gauge',
        `toolwire_requests_active ${this.active}`,
      ].join('\n')}\n`
    },
  }
}

function family(name: string, type: string, help: string, series: ReadonlyMap<string, Series>): readonly string[] {
  const lines = [...series.values()].map(({ labels, value }) => `${name}{${labels}} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const escaped = (text: string): string => text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}
