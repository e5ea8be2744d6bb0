// The transport on Node: node:http(s) with a keep-alive pool, half the processor time of Node 20's fetch per call.
// The body is pulled (`read`), never pushed by 'data' events: waiting pieces are joined, and a slow reader slows the sender.
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import type * as https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ToolwireError } from '../errors/error.js'
import { bodyPieces } from '../frames/body.js'
import type { Deadlines } from './deadlines.js'
import { placeOf } from './network-error.js'
import { NodeCall } from './node-call.js'
import type { Transport, TransportRequest, TransportResponse } from './transport.js'

const pool = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 30_000 } as const
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
  const { place, isSecure } = addressOf(request.url)
  const { agent, open } = isSecure ? await secureDoor() : plainDoor()
  request.signal.throwIfAborted()
  const pieces = request.body === undefined ? [] : bodyPieces(request.body)
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const headers = { 'accept-encoding': 'identity', ...request.headers, 'content-length': length }
  return new NodeCall(request, limits).send(open, { ...place, method: request.method, agent, headers }, pieces)
}

function plainDoor(): Door {
  plain ??= { agent: new HttpAgent(pool), open: httpRequest }
  return plain
}

/** TLS is a third of what this module costs to load, so it waits for the first address that needs it. */
function secureDoor(): Promise<Door> {
  const doorOf = ({ Agent, request }: typeof https): Door => ({ agent: new Agent(pool), open: request })
  secure ??= import('node:https').then(doorOf)
  return secure
}

export type Place = Pick<RequestOptions, 'hostname' | 'port' | 'path' | 'auth'>
export interface Address {
  readonly place: Place
  readonly isSecure: boolean
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
  return { place: { hostname, port, path, auth }, isSecure: target.protocol === 'https:' }
}
