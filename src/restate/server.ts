// Requests to a Restate server: the ingress starts runs and gives results, the admin side lists and cancels.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'
import { networkError } from '../transport/network-error.js'

/** Where the Restate server is; the defaults are those of one on this machine. */
export interface RestateServer {
  /** Where runs are started and waited for; `http://127.0.0.1:8080`. */
  readonly ingress?: string | undefined
  /** Where runs are listed and cancelled; `http://127.0.0.1:9070`. */
  readonly admin?: string | undefined
  /** Sent with every request: an authorization, say. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: typeof fetch | undefined
}

export interface Reply {
  readonly status: number
  /** Empty when there was no body. */
  readonly body: JsonObject
}

export interface Question {
  readonly method: string
  readonly path: string
  readonly body?: Json | undefined
  /** Whoever waits no longer. Its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

export type Ask = (side: 'ingress' | 'admin', question: Question) => Promise<Reply>

const longestErrorText = 300

/** Fails with `network` when the server cannot be reached, and with `malformed_response` when it says something else than JSON. */
export function asking({ ingress, admin, headers, fetch: send = fetch }: RestateServer): Ask {
  const sides = { ingress: ingress ?? 'http://127.0.0.1:8080', admin: admin ?? 'http://127.0.0.1:9070' }
  return async (side, { method, path, body, signal = new AbortController().signal }) => {
    const url = `${sides[side].replace(/\/$/, '')}${path}`
    const content = body === undefined ? {} : { body: writeJson(body) }
    const given = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    try {
      const response = await send(url, { method, headers: { ...given, ...headers }, signal, ...content })
      return { status: response.status, body: read(await response.text()) }
    } catch (error) {
      throw networkError(error, signal, url)
    }
  }
}

function read(text: string): JsonObject {
  if (text === '') return {}
  const json = parseBody(text)
  return isJsonObject(json) ? json : { value: json }
}

/** What the server refused, in its words. */
export function refused(what: string, { status, body }: Reply): ToolwireError {
  const said = typeof body.message === 'string' ? body.message.slice(0, longestErrorText) : 'no reason given'
  const code = status === 404 ? 'not_found' : status === 401 || status === 403 ? 'authentication' : 'server_error'
  return new ToolwireError(code, `Restate refused ${what} with ${status}: ${said}`, { status, retryable: false })
}
