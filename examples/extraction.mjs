// Structured extraction: text in, a checked value of a schema out; an answer that does not fit is sent back with what is wrong.
import assert from 'node:assert/strict'
import { generate } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { z } from 'zod'
import { isOffline, modelOr } from './given-models.mjs'

const letter = `Dear all, please send 3 crates of apples and 12 lemons to the kitchen by 2026-12-01. Thanks, Ada`
const order = z.object({
  from: z.string(),
  due: z.iso.date(),
  items: z.array(z.object({ what: z.string(), amount: z.number().int().min(1) })),
})
const right = {
  from: 'Ada',
  due: '2026-12-01',
  items: [
    { what: 'crates of apples', amount: 3 },
    { what: 'lemons', amount: 12 },
  ],
}
// The first answer has a date that is none; the second puts it right.
const model = modelOr(scriptedModel([JSON.stringify({ ...right, due: 'first of December' }), JSON.stringify(right)]))

const { value, rung, calls } = await generate({ model, schema: order, prompt: `Extract the order:\n\n${letter}` })

for (const { what, amount } of value.items) console.log(`${String(amount).padStart(3)} ${what}`)
assert.equal(value.items.length, 2)
if (isOffline) assert.deepEqual(value, right)
console.log(`${value.from}, due ${value.due}: ${value.items.length} items by ${rung}, ${calls} answers`)
