// `npm run bench:wires`: every wire in a process of its own; prints the ratios against their limits and exits 1 when one is missed.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const limits = { text: 1.25, args200: 1.5, grown: 0.3, growth: 2.2 }
let missed = 0

function worker(file, wire) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const run = spawnSync(process.execPath, [path, wire], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (run.status !== 0) throw new Error(`${file} ${wire} failed`)
  return JSON.parse(run.stdout)
}

function judged(value, limit) {
  if (value > limit) missed += 1
  return `${value.toFixed(2)} ${value > limit ? `MISSED (${limit})` : `(<= ${limit})`}`
}

const spread = (figure) => `[${figure.min.toFixed(2)}..${figure.max.toFixed(2)}]`
for (const wire of wires) {
  const decode = worker('./decode.mjs', wire)
  const encode = worker('./encode.mjs', wire)
  console.log(
    [
      wire.padEnd(17),
      `2,000 deltas ${judged(decode.text.ratio, limits.text)} ${spread(decode.text)} ${(decode.text.us / 2000).toFixed(2)} us/delta`,
      `200 kB args ${judged(decode.args200.ratio, limits.args200)} ${spread(decode.args200)}`,
      `400/200 kB ${judged(decode.args400.us / decode.args200.us, limits.growth)}`,
      `grown history ${judged(encode.grown.ratio, limits.grown)} ${spread(encode.grown)}`,
      `${encode.translationsPerSecond} translations/s`,
    ].join(' | '),
  )
}
console.log(missed === 0 ? 'all limits held' : `${missed} limits missed`)
process.exitCode = missed === 0 ? 0 : 1
