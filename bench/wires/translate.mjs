// One process, every pair of different wires: requests (decode → encode) and text streams (bytes → events → bytes), in CPU time.
import { codecs, profileOf } from '../../dist/wire/index.js'
import { cpu, cpuRatio } from './measure.mjs'
import { streamOf } from './streams.mjs'

const wires = Object.values(codecs)
const envOf = (codec) => ({ profile: profileOf(codec), createdSeconds: 0, deltas: true })
const pairs = wires.flatMap((from) => wires.filter((to) => to !== from).map((to) => ({ from, to })))

const id = 'call_000001'
/** A short chat with one tool, and one call of it that was answered. */
const small = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'You are a careful engineer.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Read the files.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Checking file 1. ' },
        { type: 'tool_call', id, name: 'read_file', arguments: '{"path":"src/file-1.ts","lines":400}' },
      ],
    },
    {
      role: 'tool',
      results: [
        {
          callId: id,
          name: 'read_file',
          isError: false,
          content: [{ type: 'text', text: 'export const value = 1\n'.repeat(5) }],
        },
      ],
    },
  ],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file of the project, whole or in part.',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string', description: 'Path below the project' }, lines: { type: 'integer' } },
        required: ['path'],
      },
    },
  ],
  maxTokens: 1000,
  temperature: 0.5,
}

function requests({ from, to }) {
  const [env, target] = [envOf(from), envOf(to)]
  const { http } = from.request.encode(small, { stream: false }, env)
  const sent = { ...http, body: http.body.join('') }
  const subject = () => to.request.encode(from.request.decode(sent, env).request, { stream: false }, target)
  return { subject, floor: () => JSON.stringify(JSON.parse(sent.body)), batch: { rounds: 15, batch: 200, warmup: 3 } }
}

function streams({ from, to }) {
  const bytes = streamOf(from.wire, 'text')
  const exchangeOf = (codec) => ({ wire: codec.wire, model: 'm', provider: envOf(codec).profile.name, stream: true })
  const subject = () => {
    const reader = from.stream.decode(exchangeOf(from), envOf(from))
    const writer = to.stream.encode(exchangeOf(to), envOf(to))
    let length = 0
    const write = (events) => {
      for (const event of events) length += writer.push(event).length
    }
    for (let at = 0; at < bytes.length; at += 65_536) write(reader.push(bytes.subarray(at, at + 65_536)))
    write(reader.end())
    return length + writer.end().length
  }
  if (subject() < 20_000) throw new Error(`${from.wire} to ${to.wire}: the stream was not translated`)
  const empty = () => new TextDecoder().decode(bytes).split('\n').length
  return { subject, floor: empty, batch: { rounds: 7, batch: 4, warmup: 3 } }
}

/**
 * All pairs are run before any is measured, until the engine has compiled them: a gateway serves them in one process, and has
 * met them all after its first minute.
 */
function named(runOf) {
  const runs = pairs.map((pair) => ({ pair: `${pair.from.wire} to ${pair.to.wire}`, ...runOf(pair) }))
  for (let round = 0; round < 25; round += 1) for (const { subject, batch } of runs) cpu(subject, batch.batch)
  return runs.map(({ pair, subject, floor, batch }) => ({ pair, ...cpuRatio(subject, floor, batch) }))
}

process.stdout.write(`${JSON.stringify({ requests: named(requests), streams: named(streams) })}\n`)
