// Dates and times as RFC 3339 writes them, and durations as its appendix A does. Trap: `\d` and `i` must not let other scripts in.

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const timePattern = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

export function isDate(text: string): boolean {
  const [, year, month, day] = datePattern.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** A time with an offset. A leap second is the last second of a day in UTC. */
export function isTime(text: string): boolean {
  const found = timePattern.exec(text)
  if (found === null) return false
  const [, hour = 0, minute = 0, second = 0] = found.map(Number)
  const offsetHour = Number(found[5] ?? 0)
  const offsetMinute = Number(found[6] ?? 0)
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === '-' ? -1 : 1)
  const minutesOfDay = 24 * 60
  return (hour * 60 + minute - offset + minutesOfDay) % minutesOfDay === minutesOfDay - 1
}

export function isDateTime(text: string): boolean {
  const separator = text[10]
  return (separator === 'T' || separator === 't') && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

const timePart = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)'
const datePart = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)'
const durationPattern = new RegExp(`^P(?:\\d+W|${datePart}(?:${timePart})?|${timePart})$`)

export function isDuration(text: string): boolean {
  return durationPattern.test(text)
}
