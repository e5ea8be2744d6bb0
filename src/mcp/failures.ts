// What goes wrong with a server, in words that name it, say why, and what to do. Trap: a server's own words may hold keys.
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode as ErrorCodes, McpError } from '@modelcontextprotocol/sdk/types.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { redact } from '../json/redact.js'
import { causeCode, placeOf } from '../transport/network-error.js'
import { isHttp, type McpServerSpec, secretsOf } from './server-spec.js'

/** What is known of a server when something fails. */
export interface Circumstances {
  readonly name: string
  readonly spec: McpServerSpec
  /** How its process ended, when it did. */
  readonly ending: string | undefined
  readonly stderr: string
  /** The message that was too long, when that ended the connection. */
  readonly tooLong: ToolwireError | undefined
}

const byStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'authentication'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [429, 'rate_limited'],
  [502, 'network'],
  [503, 'network'],
  [504, 'timeout'],
])
const advice: Partial<Record<ErrorCode, string>> = {
  authentication: 'check the key in its headers',
  permission: 'check what the key in its headers may do',
  not_found: 'check the path of its url, which often is /mcp',
}

/** Whether the server refused a request before it looked at it, as after a restart: it may be sent again. */
export function wasNotTaken(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return error.code === 404 || error.code === 400
  return causeCode(error) === 'ECONNREFUSED'
}

/** Why there is no connection to a server. */
export function connectFailure(error: unknown, about: Circumstances, timedOutMs: number | undefined): ToolwireError {
  const start = isHttp(about.spec) ? 'cannot be reached' : 'cannot be started'
  const make = (code: ErrorCode, why: string): ToolwireError =>
    new ToolwireError(code, `the MCP server "${about.name}" ${start}: ${clean(why, about)}`, {
      cause: error,
      detail: { server: about.name },
    })
  if (timedOutMs !== undefined)
    return make('timeout', `it did not answer within ${timedOutMs} ms; check that it ${speaks(about)}`)
  const { tooLong } = about
  if (tooLong !== undefined) return make(tooLong.code, `it ${tooLong.message}`)
  if (ToolwireError.is(error)) return make(error.code, error.message)
  if (error instanceof StreamableHTTPError) return make(codeOf(error), httpReason(error))
  if (isHttp(about.spec) && isUnreachable(error)) {
    const why = causeCode(error) ?? messageOf(error)
    return make('network', `nothing answers at ${placeOf(about.spec.url)} (${why}); check that it runs`)
  }
  if (!isHttp(about.spec) && causeCode(error) === 'ENOENT') {
    const { command, cwd } = about.spec
    const folder = cwd === undefined ? '' : `, and that the directory "${cwd}" exists`
    return make('network', `there is no command "${command}"; check its spelling and the PATH${folder}`)
  }
  if (about.ending !== undefined) {
    return make('network', `it ended with ${about.ending} before it answered${lastWords(about)}`)
  }
  return make('server_error', `it answered, but not as an MCP server should: ${messageOf(error)}`)
}

/** Whether the connection failed under the request. A coded error of our own (aborted, withdrawn) says nothing of the server. */
export function isUnreachable(error: unknown): boolean {
  return !ToolwireError.is(error) && (causeCode(error) !== undefined || error instanceof TypeError)
}

/** Why a request got no answer. Errors that the server itself answered with are left as they are. */
export function requestFailure(error: unknown, about: Circumstances, isLost: boolean): unknown {
  const make = (code: ErrorCode, why: string): ToolwireError =>
    new ToolwireError(code, `the MCP server "${about.name}" ${clean(why, about)}`, {
      cause: error,
      detail: { server: about.name },
    })
  const tooLong = isTooLong(error) ? error : isLost ? about.tooLong : undefined
  if (tooLong !== undefined) return make(tooLong.code, tooLong.message)
  if (ToolwireError.is(error)) return error
  const wasAnswered = error instanceof McpError && error.code !== ErrorCodes.ConnectionClosed
  if (isLost && !wasAnswered) {
    const how = about.ending === undefined ? '' : ` with ${about.ending}`
    return make(
      'network',
      `went away${how} while it worked; whether that took effect is not known. Its tools come back when it does`,
    )
  }
  if (error instanceof McpError) return error
  if (error instanceof StreamableHTTPError) return make(codeOf(error), `refused: ${httpReason(error)}`)
  return make('malformed_response', `gave an answer that is none: ${messageOf(error)}`)
}

function isTooLong(error: unknown): error is ToolwireError {
  return ToolwireError.is(error) && error.detail?.limit === 'maxMessageBytes'
}

/** What the server wrote last, for people who look for the reason. */
function lastWords({ stderr }: Circumstances): string {
  const words = stderr.trim().slice(-400)
  return words === '' ? ', and wrote nothing to its standard error' : `; it wrote: ${words}`
}

function speaks({ spec }: Circumstances): string {
  return isHttp(spec) ? 'speaks MCP over streamable HTTP' : 'speaks MCP on its standard input and output'
}

function clean(text: string, { spec }: Circumstances): string {
  return redact(text, secretsOf(spec))
}

function codeOf({ code }: StreamableHTTPError): ErrorCode {
  return byStatus.get(code ?? 0) ?? ((code ?? 0) >= 500 ? 'server_error' : 'invalid_request')
}

function httpReason(error: StreamableHTTPError): string {
  const hint = advice[codeOf(error)]
  return `${error.message.slice(0, 300)}${hint === undefined ? '' : `; ${hint}`}`
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
