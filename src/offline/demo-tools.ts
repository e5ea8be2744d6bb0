// The demo tools that need nothing but the language: a clock and a calculator. The current time enters as a parameter.
import { ToolExecutionError } from '../conversation/tool-error.js'
import { tool } from '../tools/define.js'
import { params } from '../tools/params.js'
import type { Tool } from '../tools/tool.js'
import { calculate } from './calculation.js'
import { timeZoneOf } from './time-zones.js'

export interface ClockReading {
  readonly place: string
  readonly timeZone: string
  readonly time: string
  readonly date: string
  readonly weekday: string
}

/** `clock`: the time and date in a city or time zone. `now` gives milliseconds since the epoch. */
export function clockTool(now: () => number): Tool<{ place?: string }, ClockReading> {
  return tool({
    name: 'clock',
    description: 'Tells the current time, date and weekday in a city or time zone.',
    input: params.object({
      place: params.optional(
        params.string({ description: 'City or IANA time zone, such as Tokyo or Europe/Paris; UTC when left out' }),
      ),
    }),
    execute: ({ place = 'UTC' }) => readClock(place, now()),
    repeatable: true,
  })
}

/** `calculator`: exact arithmetic. A quotient that never ends is rounded, and the result says so. */
export const calculatorTool: Tool<{ expression: string; precision?: number }, string> = tool({
  name: 'calculator',
  description: 'Calculates an arithmetic expression exactly: + - * / % (remainder) ^ (power) and parentheses.',
  input: params.object({
    expression: params.string({ description: 'Arithmetic expression, such as (1.5 + 2) * 4' }),
    precision: params.optional(
      params.integer({
        description: 'Decimal places for quotients that never end, 20 when left out',
        minimum: 0,
        maximum: 200,
      }),
    ),
  }),
  execute: ({ expression, precision = 20 }) => {
    const { text, exact } = calculate(expression, precision)
    return exact ? text : `${text} (rounded to ${precision} decimal places)`
  },
  repeatable: true,
})

function readClock(place: string, nowMs: number): ClockReading {
  const timeZone = timeZoneOf(place)
  if (timeZone === undefined) {
    throw new ToolExecutionError(
      'resource_not_found',
      `no time zone is known for "${place.slice(0, 80)}"; name a large city nearby or a zone such as Europe/Paris`,
    )
  }
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(nowMs)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((found) => found.type === type)?.value ?? ''
  return {
    place,
    timeZone,
    time: `${part('hour')}:${part('minute')}`,
    date: `${part('year')}-${part('month')}-${part('day')}`,
    weekday: part('weekday'),
  }
}
