// One wire, one process: CPU of bytes → events → folded response, against splitting the same bytes and JSON.parse of each line.
// Both are given the same pieces.
import { createFolder } from '../../dist/conversation/fold.js'
import { codecs, profileOf } from '../../dist/wire/index.js'
import { cpuRatio } from './measure.mjs'
import { streamOf } from './streams.mjs'

const wire = process.argv[2]
const codec = codecs[wire]
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
const exchange = { wire, model: 'm', provider: env.profile.name, stream: true }

function decode(pieces) {
  const machine = codec.stream.decode(exchange, env)
  const folder = createFolder()
  for (const piece of pieces) for (const event of machine.push(piece)) folder.push(event)
  for (const event of machine.end()) folder.push(event)
  return folder.done()
}

function floor(pieces) {
  const decoder = new TextDecoder()
  let count = 0
  let rest = ''
  for (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const json = line.startsWith('data: ') ? line.slice(6) : line
      if (!json.startsWith('{')) continue
      JSON.parse(json)
      count += 1
    }
  }
  return count
}

/** The bytes as a socket gives them at best. */
function piecesOf(bytes) {
  const size = 65_536
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

const results = {}
for (const kind of ['text', 'args200', 'args400']) {
  const bytes = streamOf(wire, kind)
  const pieces = piecesOf(bytes)
  const { response, error } = decode(pieces)
  if (error !== undefined) throw error
  const right = kind === 'text' ? response.text.length > 10_000 : response.toolCalls[0]?.arguments.length > 200_000
  if (!right) throw new Error(`${wire} ${kind}: the stream was not decoded right`)
  results[kind] = cpuRatio(
    () => decode(pieces),
    () => floor(pieces),
    // About as many bytes in each round: where a call comes in one piece its stream is far shorter.
    { rounds: 15, batch: Math.ceil(8_000_000 / bytes.length) },
  )
}
process.stdout.write(`${JSON.stringify({ wire, ...results })}\n`)
