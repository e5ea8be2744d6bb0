import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import { calculate } from '../../src/offline/calculation.js'
import { clockTool } from '../../src/offline/demo-tools.js'
import { timeZoneOf } from '../../src/offline/time-zones.js'

describe('the calculator', () => {
  test.each([
    ['17 * 23', '391'],
    ['0.1 + 0.2', '0.3'],
    ['2 ^ 64', '18446744073709551616'],
    ['2 ** 10', '1024'],
    ['2^3^2', '512'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^-2', '0.25'],
    ['1,000 / 8', '125'],
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
    ['7.5 % 2', '1.5'],
    ['1 / 3 * 3', '1'],
    ['0.1 ^ 25', '0.0000000000000000000000001'],
    ['2 × 3 ÷ 4 − 1', '0.5'],
    ['1.5e3 + .5', '1500.5'],
    ['99999999999999999999 * 99999999999999999999', '9999999999999999999800000000000000000001'],
    ['((1))', '1'],
    ['--1', '1'],
  ])('%s is %s', (expression, value) => {
    expect(calculate(expression, 20)).toEqual({ text: value, exact: true })
  })

  test('a quotient that never ends is rounded to the places asked for', () => {
    expect(calculate('2 / 3', 5)).toEqual({ text: '0.66667', exact: false })
    expect(calculate('-2 / 3', 0)).toEqual({ text: '-1', exact: false })
    expect(calculate('1 / 7', 20)).toEqual({ text: '0.14285714285714285714', exact: false })
  })

  test.each([
    '',
    '1 +',
    '* 2',
    '(1',
    '1)',
    '1 / 0',
    '5 % 0',
    '0 ^ -1',
    '2 ^ 0.5',
    'alert(1)',
    '1 2',
    '9^9^9',
    '9e9999',
    '10^6000',
    '1e9999*1e9999',
    'constructor',
    '__proto__',
    '½',
  ])('%s is refused in words', (expression) => {
    expect(() => calculate(expression, 20)).toThrow(ToolExecutionError)
  })

  test('deep nesting and long text are refused in words', () => {
    for (const expression of ['('.repeat(500), '-'.repeat(900), `1${'+1'.repeat(600)}`]) {
      expect(() => calculate(expression, 20)).toThrow(ToolExecutionError)
    }
  })

  test('agrees with bigints on whole numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), fc.constantFrom('+', '-', '*', '%'), (a, b, sign) => {
        fc.pre(sign !== '%' || b !== 0n)
        const expected = sign === '+' ? a + b : sign === '-' ? a - b : sign === '*' ? a * b : a % b
        expect(calculate(`(${a}) ${sign} (${b})`, 0).text).toBe(String(expected))
      }),
    )
  })

  test('any text gives a number or words', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,+-*/%^() e') }), (expression) => {
        try {
          expect(calculate(expression, 20).text).toMatch(/^-?\d+(?:\.\d+)?$/)
        } catch (error) {
          expect(ToolExecutionError.is(error)).toBe(true)
        }
      }),
    )
  })
})

describe('the clock', () => {
  const clock = clockTool(() => Date.UTC(2026, 6, 14, 22, 30))
  const read = (place?: string): unknown => clock.execute(place === undefined ? {} : { place }, undefined as never)

  test('tells time, date and weekday of a place', () => {
    expect(read('Tokyo')).toEqual({
      place: 'Tokyo',
      timeZone: 'Asia/Tokyo',
      time: '07:30',
      date: '2026-07-15',
      weekday: 'Wednesday',
    })
    expect(read()).toMatchObject({ timeZone: 'UTC', time: '22:30' })
  })

  test.each([
    ['Boston', 'America/New_York'],
    ['new york', 'America/New_York'],
    ['São Paulo', 'America/Sao_Paulo'],
    ['europe/paris', 'Europe/Paris'],
    ['Paris, France', 'Europe/Paris'],
    ['  Berlin ', 'Europe/Berlin'],
    ['UTC', 'UTC'],
  ])('knows %s', (place, zone) => {
    expect(timeZoneOf(place)).toBe(zone)
  })

  test.each(['Atlantis', '', 'constructor', '__proto__'])('does not know "%s", and says what to do', (place) => {
    expect(timeZoneOf(place)).toBeUndefined()
    expect(() => read(place)).toThrow(/no time zone is known/)
  })
})
