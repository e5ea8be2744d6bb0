// What converting a zod tool costs beside zod's own conversion, and what it costs the second time. Ratios of CPU time in one run.
import { z } from 'zod'
import { freeze } from '../dist/conversation/freeze.js'
import { takeSchema } from '../dist/schema/intake.js'
import { dialectNames } from '../dist/schema/restrict/dialects.js'
import { restrict } from '../dist/schema/restrict/restrict.js'

const count = 200
const rounds = Number(process.argv[2] ?? 15)

function freshSchemas() {
  return Array.from({ length: count }, (_, index) =>
    z.object({
      city: z.string().describe('City name'),
      unit: z.enum(['celsius', 'fahrenheit']).describe('Temperature unit'),
      days: z.number().int().min(1).max(14).describe(`Days ahead ${index}`),
      tags: z.array(z.string()).describe('Free tags'),
      options: z.object({ verbose: z.boolean(), limit: z.number() }),
    }),
  )
}

function convert(schemas, dialect) {
  for (const schema of schemas) {
    const taken = takeSchema(schema, 'input')
    if (!taken.ok) throw new Error(taken.problem.message)
    if (dialect !== undefined) restrict(Object.isFrozen(taken.schema) ? taken.schema : freeze(taken.schema), dialect)
  }
}

/** Microseconds of CPU per schema. */
function cost(work, schemas = freshSchemas()) {
  globalThis.gc?.()
  const before = process.cpuUsage()
  work(schemas)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const floor = (schemas) => {
  for (const schema of schemas) z.toJSONSchema(schema, { io: 'input' })
}
const contenders = [['intake alone', undefined], ...dialectNames.map((name) => [name, name])]
const samples = new Map([
  ['zod', []],
  ...contenders.flatMap(([name]) => [
    [name, []],
    [`${name} again`, []],
  ]),
])
for (let round = -2; round < rounds; round += 1) {
  const keep = (name, value) => round >= 0 && samples.get(name).push(value)
  keep('zod', cost(floor))
  for (const [name, dialect] of contenders) {
    const schemas = freshSchemas()
    keep(
      name,
      cost((list) => convert(list, dialect), schemas),
    )
    keep(
      `${name} again`,
      cost((list) => convert(list, dialect), schemas),
    )
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const base = median(samples.get('zod'))
console.log(`zod's own conversion: ${base.toFixed(1)} µs per schema; ratios to it:`)
for (const [name] of contenders) {
  const [first, again] = [median(samples.get(name)), median(samples.get(`${name} again`))]
  console.log(`${name.padEnd(20)} first ${(first / base).toFixed(2)}  again ${(again / base).toFixed(3)}`)
}
