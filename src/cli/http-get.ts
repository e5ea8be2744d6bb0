// The demo tool `http_get`: pages from hosts that were allowed by name. Trap: a redirect to another host would go around the
// list, so redirects are followed by hand, on the same host only.
import { ToolExecutionError } from '../conversation/tool-error.js'
import { tool } from '../tools/define.js'
import { params } from '../tools/params.js'
import type { Tool } from '../tools/tool.js'

export interface HttpGetOptions {
  /** Hosts that may be asked, such as `example.com` or `localhost:8080`; a host without a port means the usual one. */
  readonly allowedHosts: readonly string[]
  readonly fetch?: typeof globalThis.fetch
}
export interface Page {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const maxBytes = 262_144
const mostRedirects = 5
const readable = /^text\/|[/+](?:json|xml|javascript|yaml)\b/i

export function httpGetTool({ allowedHosts, fetch = globalThis.fetch }: HttpGetOptions): Tool<{ url: string }, Page> {
  return tool({
    name: 'http_get',
    description: 'Fetches a web page or a JSON document by its URL.',
    input: params.object({ url: params.string({ description: 'The http or https URL' }) }),
    capabilities: ['network'],
    repeatable: true,
    execute: async ({ url }, { signal }) => {
      const start = allowedUrl(url, allowedHosts)
      const response = await reached(start, follow(start, fetch, signal))
      const contentType = response.headers.get('content-type') ?? ''
      const body = await reached(start, readBody(response, contentType))
      return { status: response.status, contentType, body }
    },
  })
}

function allowedUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ToolExecutionError(
      'invalid_arguments',
      `"${text.slice(0, 200)}" is not an http or https URL without a password`,
    )
  }
  if (!allowedHosts.some((host) => host.toLowerCase() === url.host)) {
    throw new ToolExecutionError(
      'permission_denied',
      `the host "${url.host}" is not allowed${allowedHosts.length === 0 ? '; no host is, unless the user names it' : `; allowed: ${allowedHosts.join(', ')}`}`,
    )
  }
  return url
}

async function follow(start: URL, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<Response> {
  let url = start
  for (let step = 0; step <= mostRedirects; step += 1) {
    const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'text/*, application/json' } })
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    if (!URL.canParse(location, url)) throw new ToolExecutionError('network_error', `${url.host} redirects to no URL`)
    const next = new URL(location, url)
    if (next.host !== start.host || (start.protocol === 'https:' && next.protocol !== 'https:')) {
      throw new ToolExecutionError(
        'permission_denied',
        `${start.host} redirects to ${next.origin}, which is not followed`,
      )
    }
    url = next
  }
  throw new ToolExecutionError('network_error', `${start.host} redirects more than ${mostRedirects} times`)
}

/** The text, cut at the cap; the rest is never read. */
async function readBody(response: Response, contentType: string): Promise<string> {
  if (contentType !== '' && !readable.test(contentType)) {
    await response.body?.cancel()
    return `[not text: ${contentType}]`
  }
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true })
    left -= chunk.length
    if (left < 0) return `${text}\n[cut after ${maxBytes} bytes]` // leaving the loop cancels the body
  }
  return text + decoder.decode()
}

/** A failed connection in words for the model; an abort stays what it is. */
async function reached<T>(url: URL, promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    if (ToolExecutionError.is(error) || (error instanceof Error && error.name === 'AbortError')) throw error
    throw new ToolExecutionError('network_error', `${url.host} cannot be reached`, { cause: error })
  }
}
