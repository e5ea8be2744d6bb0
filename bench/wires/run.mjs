// `npm run bench:wires`: every wire in a process of its own; prints the ratios against their limits and exits 1 when one is missed.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const limits = { text: 1.25, args200: 1.5, grown: 0.3, growth: 2.2, requestUs: 1e6 / 34_000, deltaUs: 2.2, passedUs: 5 }
let missed = 0
const decoded = []

function worker(file, wire = '') {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const run = spawnSync(process.execPath, [path, wire], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (run.status !== 0) throw new Error(`${file} ${wire} failed`)
  return JSON.parse(run.stdout)
}

function judged(value, limit) {
  if (value > limit) missed += 1
  const bound = Number(limit.toFixed(2))
  return `${value.toFixed(2)} ${value > limit ? `MISSED (${bound})` : `(<= ${bound})`}`
}

const spread = (figure) => `[${figure.min.toFixed(2)}..${figure.max.toFixed(2)}]`
for (const wire of wires) {
  const decode = worker('./decode.mjs', wire)
  decoded.push(decode)
  const encode = worker('./encode.mjs', wire)
  console.log(
    [
      wire.padEnd(17),
      `2,000 deltas ${judged(decode.text.ratio, limits.text)} ${spread(decode.text)} ${(decode.text.us / 2000).toFixed(2)} us/delta`,
      `200 kB args ${judged(decode.args200.ratio, limits.args200)} ${spread(decode.args200)}`,
      `400/200 kB ${judged(decode.args400.us / decode.args200.us, limits.growth)}`,
      `grown history ${judged(encode.grown.ratio, limits.grown)} ${spread(encode.grown)}`,
    ].join(' | '),
  )
}
const { requests, streams } = worker('./translate.mjs')
const worst = (list) => list.toSorted((a, b) => b.us - a.us)[0]
const mean = (list) => Math.exp(list.reduce((sum, { us }) => sum + Math.log(us), 0) / list.length)
const perDelta = (list) => list.map((figure) => ({ ...figure, us: figure.us / 2000 }))
const deltas = perDelta(decoded.map(({ wire, text }) => ({ pair: wire, ...text })))
const passed = perDelta(streams)
console.log(
  [
    `request of a small chat, mean of all pairs ${judged(mean(requests), limits.requestUs)} us, ${Math.round(1e6 / mean(requests))}/s`,
    `worst ${worst(requests).us.toFixed(1)} us (${worst(requests).pair})`,
    `parse and stringify alone ${mean(requests.map(({ floorUs }) => ({ us: floorUs }))).toFixed(1)} us`,
  ].join(' | '),
)
console.log(
  [
    `decoded delta, mean of the wires ${judged(mean(deltas), limits.deltaUs)} us, worst ${worst(deltas).us.toFixed(2)} (${worst(deltas).pair})`,
    `translated delta, mean of all pairs ${judged(mean(passed), limits.passedUs)} us, worst ${worst(passed).us.toFixed(2)} (${worst(passed).pair})`,
  ].join(' | '),
)
console.log(missed === 0 ? 'all limits held' : `${missed} limits missed`)
process.exitCode = missed === 0 ? 0 : 1
