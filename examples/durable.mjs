// A run whose process is killed in the middle, and goes on in another: what was done is not done again.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, tool } from 'toolwire'
import { fileJournal } from 'toolwire/durable'
import { scriptedModel } from 'toolwire/testing'
import { modelOr } from './given-models.mjs'

const [, file, role, folder = ''] = process.argv
if (role === 'worker') await work()
else supervise()

/** One attempt at the run. The first of them dies while the second tool is at work. */
async function work() {
  const ledger = join(folder, 'ledger.txt')
  const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }
  const charge = tool({
    name: 'charge_card',
    description: 'Charges the card for an order',
    input: order,
    execute: (_input, { idempotencyKey }) => {
      appendFileSync(ledger, `charged ${idempotencyKey}\n`)
      return 'charged'
    },
  })
  const print = tool({
    name: 'print_label',
    description: 'Prints the label for an order',
    input: order,
    repeatable: true, // a second label does no harm; without this the model would be told that the call is in doubt
    execute: () => {
      const isFirst = !readFileSync(ledger, 'utf8').includes('printing')
      appendFileSync(ledger, 'printing\n')
      if (isFirst) process.kill(process.pid, 'SIGKILL')
      return 'printed'
    },
  })
  const turns = [
    { calls: [{ name: 'charge_card', args: { order: 'A1' } }] },
    { calls: [{ name: 'print_label', args: { order: 'A1' } }] },
    'Order A1 is paid and labelled.',
  ]
  const model = modelOr(
    scriptedModel(({ messages }) => turns[messages.filter((message) => message.role === 'tool').length]),
  )
  // The same call starts the run and goes on with it.
  const result = await run({
    model,
    tools: [charge, print],
    journal: fileJournal(join(folder, 'runs')),
    runId: 'order-a1',
    prompt: 'Charge the card for order A1, then print its label.',
  })
  console.log(result.text)
}

function supervise() {
  const home = mkdtempSync(join(tmpdir(), 'toolwire-durable-'))
  const given = process.argv.slice(2)
  const attempt = () =>
    spawnSync(process.execPath, [file, 'worker', home, ...given], {
      encoding: 'utf8',
    })
  try {
    const first = attempt()
    console.log(`first attempt: ended by ${first.signal}`)
    const second = attempt()
    console.log(`second attempt: ${second.stdout.trim()}${second.stderr}`)
    const lines = readFileSync(join(home, 'ledger.txt'), 'utf8').trim().split('\n')
    assert.equal(first.signal, 'SIGKILL')
    assert.equal(second.status, 0)
    assert.equal(lines.filter((line) => line.startsWith('charged')).length, 1)
    console.log(`killed and resumed: ${lines.length} effects, the card was charged once`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
