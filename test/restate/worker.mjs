// A worker: a process that serves the workflow on PORT. Environment: PORT, EXECUTOR, EFFECTS (a file that gets a line for each
// effect), STEP_TIMEOUT_MS, MAX_TURNS (another program: it stops after so many).
import { createServer } from 'node:http2'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateService } from '../../dist/restate/index.js'
import { optionsOf } from '../engines/program.mjs'

const { PORT, MAX_TURNS, STEP_TIMEOUT_MS } = process.env
const agent = restateService(
  'agent',
  ({ parameters }) => ({
    ...optionsOf(parameters),
    ...(MAX_TURNS === undefined ? {} : { maxTurns: Number(MAX_TURNS) }),
  }),
  STEP_TIMEOUT_MS === undefined ? {} : { stepTimeoutMs: Number(STEP_TIMEOUT_MS) },
)
const server = createServer(
  { settings: { maxConcurrentStreams: 8 } }, // so that the server opens more connections than one
  createEndpointHandler({ services: [agent], logger: () => {} }),
)
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'))
