// One wire, one process: CPU of bytes → events → folded response, against splitting the same bytes and JSON.parse of each line.
import { createFolder } from '../../dist/conversation/fold.js'
import { codecs, profileOf } from '../../dist/wire/index.js'
import { cpuRatio } from './measure.mjs'
import { streamOf } from './streams.mjs'

const wire = process.argv[2]
const codec = codecs[wire]
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const exchange = { wire, model: 'm', provider: env.profile.name, stream: true }
const chunkBytes = 64 * 1024

function decode(bytes) {
  const machine = codec.stream.decode(exchange, env)
  const folder = createFolder()
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    for (const event of machine.push(bytes.subarray(at, at + chunkBytes))) folder.push(event)
  }
  for (const event of machine.end()) folder.push(event)
  return folder.done()
}

function floor(bytes) {
  let count = 0
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const json = line.startsWith('data: ') ? line.slice(6) : line
    if (!json.startsWith('{')) continue
    JSON.parse(json)
    count += 1
  }
  return count
}

const results = {}
for (const kind of ['text', 'args200', 'args400']) {
  const bytes = streamOf(wire, kind)
  const { response, error } = decode(bytes)
  if (error !== undefined) throw error
  const right = kind === 'text' ? response.text.length > 10_000 : response.toolCalls[0]?.arguments.length > 200_000
  if (!right) throw new Error(`${wire} ${kind}: the stream was not decoded right`)
  results[kind] = cpuRatio(
    () => decode(bytes),
    () => floor(bytes),
    // About as many bytes in each round: where a call comes in one piece its stream is far shorter.
    { rounds: 15, batch: Math.ceil(8_000_000 / bytes.length) },
  )
}
process.stdout.write(`${JSON.stringify({ wire, ...results })}\n`)
