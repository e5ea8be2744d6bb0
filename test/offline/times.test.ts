// Times of day in a text, on the clock of 24 hours.
import { expect, test } from 'vitest'
import { timesIn } from '../../src/offline/dates.js'

test.each<[string, readonly string[]]>([
  ['at 0:00', ['00:00']],
  ['at 23:59', ['23:59']],
  ['at 24:00', []],
  ['at 12:60', []],
  ['at 10:59', ['10:59']],
  ['at noon', ['12:00']],
  ['at midnight', ['00:00']],
  ['at 12 am', ['00:00']],
  ['at 12 pm', ['12:00']],
  ['at 1 pm', ['13:00']],
  ['at 11pm', ['23:00']],
  ['at 1:05 AM', ['01:05']],
  ['at 11:30 pm', ['23:30']],
  ["at 5 o'clock", ['05:00']],
  ['from 9:15 to 10:45', ['09:15', '10:45']],
  ['in 5 minutes', []],
])('%s', (text, clocks) => {
  expect(timesIn(text).map(({ clock }) => clock)).toEqual(clocks)
})
