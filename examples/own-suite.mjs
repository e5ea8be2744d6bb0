// Recording and replaying in a vitest suite of your own (examples/own-suite/): run once against a provider, which writes the tape, and
// once more with the provider gone.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { providerServer } from 'toolwire/testing'
import { startVitest } from 'vitest/node'

const root = fileURLToPath(new URL('own-suite', import.meta.url))
const tapes = mkdtempSync(join(tmpdir(), 'toolwire-own-suite-'))
const server = await providerServer({
  script: [{ calls: [{ name: 'get_weather', args: { city: 'Rome' } }] }, 'It is 18 °C in Rome.'],
})
// With `--model` the suite records from Anthropic itself, with the key of the environment.
const isOffline = !process.argv.includes('--model')
Object.assign(process.env, { TAPES: tapes })
if (isOffline) Object.assign(process.env, { PROVIDER: server.url, ANTHROPIC_API_KEY: 'sk-example-0123456789abcdef' })

/** How many tests passed; fails when one failed. */
async function runSuite() {
  const vitest = await startVitest('test', [], { root, config: false, watch: false, pool: 'threads', reporters: [{}] })
  const modules = vitest.state.getTestModules()
  await vitest.close()
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  for (const test of tests) assert.equal(test.result().state, 'passed', test.result().errors?.[0]?.message)
  return tests.length
}

try {
  const recorded = await runSuite()
  await server.close()
  const asked = server.requests.length
  const replayed = await runSuite()
  assert.deepEqual([recorded, replayed], [2, 2])
  assert.deepEqual(readdirSync(tapes), ['rome.jsonl'])
  const tape = readFileSync(join(tapes, 'rome.jsonl'), 'utf8')
  assert.equal(tape.includes(process.env.ANTHROPIC_API_KEY), false)
  if (isOffline) assert.equal(asked, 2)
  console.log(`${recorded} tests recorded, ${replayed} replayed without a provider`)
} finally {
  rmSync(tapes, { recursive: true, force: true })
  process.exitCode ??= 0
}
