// Dates and times of day in a text. Trap: the engine has no clock, so "tomorrow" and a day without a year stay words.

export interface FoundDate {
  readonly start: number
  readonly end: number
  readonly text: string
  /** `YYYY-MM-DD`, when the text names the whole day. */
  readonly iso?: string
  readonly year?: number
}
export interface FoundTime {
  readonly start: number
  readonly end: number
  readonly text: string
  /** `HH:MM`, from 00:00 to 23:59. */
  readonly clock: string
}

const months = 'january february march april may june july august september october november december'.split(' ')
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const weekday = '(?:sun|mon|tues|wednes|thurs|fri|satur)day'

interface Day {
  readonly year?: string | undefined
  readonly month?: string | undefined
  readonly day?: string | undefined
}
/** In order of trust: what an earlier one took, a later one does not take again. */
const forms: readonly (readonly [pattern: RegExp, read: (groups: readonly (string | undefined)[]) => Day])[] = [
  [/\b(\d{4})-(\d{1,2})-(\d{1,2})(?:T[\d:]+Z?)?\b/g, ([, year, month, day]) => ({ year, month, day })],
  [
    /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g,
    ([, first, second, year]) =>
      Number(first) > 12 ? { year, month: second, day: first } : { year, month: first, day: second },
  ],
  [
    new RegExp(`\\b(${month})\\s+(?:the\\s+)?(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(?:of\\s+)?(\\d{4}))?\\b`, 'gi'),
    ([, name, day, year]) => ({ year, month: monthNumber(name), day }),
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(${month})(?:,?\\s+(\\d{4}))?\\b`, 'gi'),
    ([, day, name, year]) => ({ year, month: monthNumber(name), day }),
  ],
  [new RegExp(`\\b(${month})\\s+(\\d{4})\\b`, 'gi'), ([, name, year]) => ({ year, month: monthNumber(name) })],
  [
    /\b(?:the day after tomorrow|today|tonight|tomorrow|yesterday)(?: (?:morning|afternoon|evening|night))?\b/gi,
    () => ({}),
  ],
  [new RegExp(`\\b(?:(?:this|next|last|coming)\\s+)?${weekday}\\b`, 'gi'), () => ({})],
  [/\b(?:this|next|last)\s+(?:week(?:end)?|month|year)\b/gi, () => ({})],
]
const timeOfDay =
  /\b(\d{1,2}):(\d{2})(?::\d{2})?(?:\s*([ap])\.?m\b\.?)?|\b(\d{1,2})\s*([ap])\.?m\b|\b(noon|midnight)\b|\b(\d{1,2})\s*o['’]clock\b/gi

/** The dates of a text, in order, none overlapping another. */
export function datesIn(text: string): readonly FoundDate[] {
  const found: FoundDate[] = []
  for (const [pattern, read] of forms) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      if (found.some((other) => start < other.end && end > other.start)) continue
      const day = read(match)
      const iso = isoDay(day)
      found.push({
        start,
        end,
        text: match[0],
        ...(iso === undefined ? {} : { iso }),
        ...(day.year === undefined ? {} : { year: Number(day.year) }),
      })
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/** The times of day of a text, in order. */
export function timesIn(text: string): readonly FoundTime[] {
  const found: FoundTime[] = []
  for (const match of text.matchAll(timeOfDay)) {
    const [whole, colonHour, minutes = '00', colonHalf, plainHour, plainHalf, word, bellHour] = match
    const half = (colonHalf ?? plainHalf)?.toLowerCase()
    const spoken =
      word === undefined ? (colonHour ?? plainHour ?? bellHour) : word.toLowerCase() === 'noon' ? '12' : '0'
    const hour = hourOf(Number(spoken), half)
    if (hour > 23 || Number(minutes) > 59) continue
    const clock = `${twoDigits(hour)}:${minutes}`
    found.push({ start: match.index, end: match.index + whole.length, text: whole, clock })
  }
  return found
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === 'p' && hour < 12) return hour + 12
  return half === 'a' && hour === 12 ? 0 : hour
}

function isoDay({ year, month, day }: Day): string | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined
  const known = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31
  return known ? `${year}-${twoDigits(Number(month))}-${twoDigits(Number(day))}` : undefined
}

function monthNumber(name: string | undefined): string {
  const start = (name ?? '').toLowerCase().slice(0, 3)
  return String(months.findIndex((known) => known.startsWith(start)) + 1)
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
