// One wire, one process: CPU of encoding a 200-round history that grew by one turn, against JSON.stringify of the whole body.
import { freeze } from '../../dist/conversation/freeze.js'
import { bodyText } from '../../dist/frames/body.js'
import { codecs, profileOf } from '../../dist/wire/index.js'
import { cpuRatio } from './measure.mjs'

const wire = process.argv[2]
const codec = codecs[wire]
const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }

function round(index) {
  const id = `call_${String(index).padStart(6, '0')}`
  const text = `Checking file ${index}. `.repeat(4)
  return [
    freeze({
      role: 'assistant',
      content: [
        { type: 'text', text },
        {
          type: 'tool_call',
          id,
          name: 'read_file',
          arguments: JSON.stringify({ path: `src/file-${index}.ts`, lines: 400 }),
        },
      ],
    }),
    freeze({
      role: 'tool',
      results: [
        {
          callId: id,
          name: 'read_file',
          isError: false,
          content: [{ type: 'text', text: `export const value${index} = ${index}\n`.repeat(20) }],
        },
      ],
    }),
  ]
}
const tools = Array.from({ length: 20 }, (_, index) =>
  freeze({
    name: index === 0 ? 'read_file' : `tool_${index}`,
    description: 'Reads a file of the project, whole or in part.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path below the project' }, lines: { type: 'integer' } },
      required: ['path'],
    },
  }),
)
const opening = [
  freeze({ role: 'system', content: [{ type: 'text', text: 'You are a careful engineer.' }] }),
  freeze({ role: 'user', content: [{ type: 'text', text: 'Read the files.' }] }),
]
const history = [...opening, ...Array.from({ length: 200 }, (_, index) => round(index)).flat()]
const request = (messages) => ({ model: 'm', messages, tools })

codec.request.encode(request(history), { stream: false }, env)
const body = JSON.parse(bodyText(codec.request.encode(request(history), { stream: false }, env).http.body))
let turn = 1000
const grown = cpuRatio(
  () => {
    turn += 1
    return codec.request.encode(request([...history, ...round(turn)]), { stream: false }, env)
  },
  () => JSON.stringify(body),
  { rounds: 11, batch: 200, warmup: 4 },
)
process.stdout.write(`${JSON.stringify({ wire, grown, bodyBytes: JSON.stringify(body).length })}\n`)
