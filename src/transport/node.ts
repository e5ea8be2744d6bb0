// The transport on Node: node:http(s) with a keep-alive pool, half the processor time of Node 20's fetch per call.
// The body is pulled (`read`), never pushed by 'data' events: waiting pieces are joined, and a slow reader slows the sender.
import { type ClientRequestArgs, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import type * as https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ToolwireError } from '../errors/error.js'
import { bodyPieces } from '../frames/body.js'
import type { Deadlines } from './deadlines.js'
import { headerList } from './header-list.js'
import { placeOf } from './network-error.js'
import { NodeCall } from './node-call.js'
import { joining } from './node-chunks.js'
import type { Transport, TransportRequest, TransportResponse } from './transport.js'

const pool = { keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo', timeout: 30_000 } as const
/** What opens a request, with the sockets it keeps. */
interface Door {
  readonly agent: HttpAgent
  readonly open: typeof httpRequest
}
let plain: Door | undefined
let secure: Promise<Door> | undefined

export const transport: Transport = Object.assign(
  (request: TransportRequest): Promise<TransportResponse> => ask(request, undefined),
  {
    limited:
      (limits: Deadlines): Transport =>
      (request) =>
        ask(request, limits),
  },
)

async function ask(request: TransportRequest, limits: Deadlines | undefined): Promise<TransportResponse> {
  const { method, url, headers, body, signal } = request
  const address = addressOf(url)
  const { agent, open } = address.isSecure ? await secureDoor() : plainDoor()
  if (signal.aborted) throw signal.reason
  const pieces = body === undefined ? [] : bodyPieces(body)
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const servername = headers.host === undefined ? {} : { servername: headers.host.replace(/:\d*$/, '') }
  const list = headerList({ ...headers, 'content-length': String(length) }, address.headers)
  const options = { ...address.place, ...servername, method, agent, headers: list }
  return new NodeCall(request, limits).send(open, options, pieces)
}

/** Remembers under which name the sockets of the last place are kept: Node makes it, and looks it up as a new text, at each request. */
class NamingAgent extends HttpAgent {
  #host: string | null | undefined
  #port: RequestOptions['port']
  #name = ''

  override getName(options: ClientRequestArgs = {}): string {
    const { host, port } = options
    if (this.#name === '' || host !== this.#host || port !== this.#port) {
      this.#host = host
      this.#port = port
      this.#name = super.getName(options)
    }
    return this.#name
  }
}

/** The agent, whose sockets join what comes in chunks. */
function withJoining<A extends HttpAgent>(agent: A): A {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => joining(connect(options, callback))
  return agent
}

function plainDoor(): Door {
  plain ??= { agent: withJoining(new NamingAgent(pool)), open: httpRequest }
  return plain
}

/** TLS is a third of what this module costs to load, so it waits for the first address that needs it. */
function secureDoor(): Promise<Door> {
  const doorOf = ({ Agent, request }: typeof https): Door => ({ agent: withJoining(new Agent(pool)), open: request })
  secure ??= import('node:https').then(doorOf)
  return secure
}

export type Place = Pick<RequestOptions, 'hostname' | 'port' | 'path'>
export interface Address {
  readonly place: Place
  readonly isSecure: boolean
  /** Sent unless the caller has others. */
  readonly headers: Readonly<Record<string, string>>
}

/** The last address, taken apart: a program mostly asks one again and again. */
let last: { readonly url: string; readonly address: Address } | undefined

function addressOf(url: string): Address {
  if (last?.url !== url) last = { url, address: readAddress(url) }
  return last.address
}

/** An address taken apart. */
export function readAddress(url: string): Address {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new ToolwireError('misuse', `"${placeOf(url)}" is not an http or https address; check baseUrl`)
  const { hostname, port, path, auth } = urlToHttpOptions(target)
  const authorization = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}
  const headers = { host: target.host, 'accept-encoding': 'identity', ...authorization }
  return { place: { hostname, port, path }, isSecure: target.protocol === 'https:', headers }
}
