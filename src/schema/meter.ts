// What one check may cost. Every unit of work is counted, so that the same schema and value always cost the same, on any machine,
// and a hostile pair ends in a verdict instead of a blocked process.

/** Units are steps of about 30 ns once the code is warm. */
export interface Meter {
  readonly limit: number
  /** Units not spent yet; below zero once the check was given up. */
  left: number
}

/** Ends a check whose meter has run out, or that nests too deeply. */
export class Exhausted extends Error {
  readonly limit: 'work' | 'depth'
  constructor(limit: 'work' | 'depth') {
    super(limit)
    this.limit = limit
  }
}

/** Spends whole units: a fraction would turn the count into a slower kind of number for good. */
export function spend(meter: Meter, units: number): void {
  meter.left -= units
  if (meter.left < 0) throw new Exhausted('work')
}

/** Members from which on an object is kept as a table by the runtime, and slow. */
export const wide = 1_000
/** The price of each member beyond them. */
export const wideUnits = 5

/** The price of the next member of an object that has had `count` before. */
export function memberUnits(count: number): number {
  return count < wide ? 1 : wideUnits
}
