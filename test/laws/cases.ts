// How many cases a property runs. `npm run laws` raises the number, chooses seeds and collects the counts through the environment:
// LAWS_FACTOR, SEED, LAWS_REPORT.
import { appendFileSync } from 'node:fs'
import fc from 'fast-check'

const factor = Number(process.env.LAWS_FACTOR ?? '1')
const report = process.env.LAWS_REPORT

/** Checks a property; a failure tells seed, path and the smallest case found. */
export function holds<T>(law: string, cases: number, property: fc.IProperty<T>): void {
  fc.assert(property, {
    numRuns: Math.ceil(cases * factor),
    reporter: (details) => {
      if (report !== undefined) appendFileSync(report, `${JSON.stringify({ law, cases: details.numRuns })}\n`)
      if (details.failed) {
        const reason = details.errorInstance instanceof Error ? details.errorInstance.message : ''
        const message = `law ${law} does not hold\n${reason.slice(0, 4000)}\n${fc.defaultReportMessage(details)}`
        throw new Error(message, { cause: details.errorInstance })
      }
    },
  })
}
