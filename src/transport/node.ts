// The transport on Node: node:http(s) with a keep-alive pool, half the processor time of Node 20's fetch per call.
// The body is pulled (`read`), never pushed by 'data' events: waiting pieces are joined, and a slow reader slows the sender.
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import type * as https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ToolwireError } from '../errors/error.js'
import { bodyPieces } from '../frames/body.js'
import { networkError, placeOf } from './network-error.js'
import { bodyOf } from './node-body.js'
import type { Transport, TransportRequest, TransportResponse } from './transport.js'

const pool = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 30_000 } as const
/** What opens a request, with the sockets it keeps. */
interface Door {
  readonly agent: HttpAgent
  readonly open: typeof httpRequest
}
let plain: Door | undefined
let secure: Promise<Door> | undefined

export const transport: Transport = async (request) => {
  request.signal.throwIfAborted()
  const address = addressOf(request.url)
  return send(request, address.place, address.isSecure ? await secureDoor() : plainDoor())
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

function send(request: TransportRequest, place: Place, { agent, open }: Door): Promise<TransportResponse> {
  const { method, url, headers, body, signal } = request
  const pieces = body === undefined ? [] : bodyPieces(body)
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const options = {
    ...place,
    method,
    agent,
    headers: { 'accept-encoding': 'identity', ...headers, 'content-length': length },
  }
  return new Promise((resolve, reject) => {
    // Once there is an answer the promise is settled, and its body tells of what goes wrong.
    const fail = (error: unknown): void => {
      if (answer === undefined) reject(networkError(error, signal, url))
    }
    let outgoing: ClientRequest
    let answer: IncomingMessage | undefined
    // Once an answer is whole its connection may be another call's: then only what was not read of it is thrown away.
    const abort = (): void => {
      if (answer?.complete === true) answer.destroy()
      else outgoing.destroy(new DOMException('The operation was aborted', 'AbortError'))
    }
    const answered = (incoming: IncomingMessage): void => {
      answer = incoming
      resolve({ status: incoming.statusCode ?? 0, headers: headersOf(incoming), body: bodyOf(incoming, request) })
    }
    try {
      outgoing = open(options, answered)
    } catch (error) {
      fail(error)
      return
    }
    outgoing.on('error', fail)
    signal.addEventListener('abort', abort, { once: true })
    outgoing.on('close', () => signal.removeEventListener('abort', abort))
    const last = pieces.length - 1
    if (last > 0) outgoing.cork() // head and pieces leave in one write
    for (let index = 0; index < last; index += 1) outgoing.write(pieces[index])
    outgoing.end(pieces[last])
  })
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

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const cookies = headers['set-cookie'] // the only one that is a list
  return { ...headers, ...(cookies === undefined ? {} : { 'set-cookie': cookies.join(', ') }) } as Record<
    string,
    string
  >
}
