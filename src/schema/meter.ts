// What one check may cost. Every unit of work is counted, so that the same schema and value always cost the same, on any machine,
// and a hostile pair ends in a verdict instead of a blocked process.
import { schemaLimits } from './rules.js'

export interface Meter {
  readonly limit: number
  /** Units not spent yet; below zero once the check was given up. */
  left: number
}

/** A unit is about 30 ns once the code is warm. */
export function newMeter(limit: number = schemaLimits.work): Meter {
  return { limit, left: limit }
}

/** Ends a check whose meter has run out, or that nests too deeply. */
export class Exhausted extends Error {
  readonly limit: 'work' | 'depth'
  constructor(limit: 'work' | 'depth') {
    super(limit)
    this.limit = limit
  }
}

export function spend(meter: Meter, units: number): void {
  meter.left -= units
  if (meter.left < 0) throw new Exhausted('work')
}
