// How a server is reached, as a program or a configuration file says it.
import { ToolwireError } from '../errors/error.js'
import type { Formats } from '../schema/formats/formats.js'
import type { ToolCapability } from '../tools/tool.js'
import { defaultMaxMessageBytes } from './message-limit.js'

interface SpecOptions {
  /**
   * What the tools of this server touch, for the policy. Unless given: `shell` for a command, as it runs with the rights of
   * whoever starts it, and `network` for an address.
   */
  readonly capabilities?: readonly ToolCapability[] | undefined
  /** How long one of its tools may run; the executor's time unless given. */
  readonly timeoutMs?: number | undefined
  /** How many bytes one message of this server may have; 16,777,216. A longer one is an error, and nothing holds it in memory. */
  readonly maxMessageBytes?: number | undefined
  /** The values of `format` that arguments are checked for, such as `formats` of `toolwire/formats`. Default: none. */
  readonly formats?: Formats | undefined
}

/** A program that speaks MCP on its standard input and output. */
export interface StdioServerSpec extends SpecOptions {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** All the program gets besides PATH, HOME and a few like them: nothing else of this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

/** A server that speaks MCP over streamable HTTP. */
export interface HttpServerSpec extends SpecOptions {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A server that is started, or one at an address. */
export type McpServerSpec = StdioServerSpec | HttpServerSpec

export function isHttp(spec: McpServerSpec): spec is HttpServerSpec {
  return 'url' in spec && spec.url !== undefined
}

export function capabilitiesOf(spec: McpServerSpec): readonly ToolCapability[] {
  return spec.capabilities ?? (isHttp(spec) ? ['network'] : ['shell'])
}

/** Texts of a spec that no error or log may show. */
export function secretsOf(spec: McpServerSpec): readonly string[] {
  if (!isHttp(spec)) return Object.values(spec.env ?? {})
  // A server may repeat a token without the scheme in front of it.
  return Object.values(spec.headers ?? {}).flatMap((value) => [value, value.replace(/^\S+\s+/, '')])
}

/** Refuses what names neither a command nor an address, or both, before anything is started. */
export function checkSpec(name: string, spec: McpServerSpec): void {
  const { command, url } = (spec ?? {}) as Partial<StdioServerSpec & HttpServerSpec>
  const wrong = (message: string): never => {
    throw new ToolwireError('misuse', `the MCP server "${name}" ${message}`)
  }
  const { maxMessageBytes: most = defaultMaxMessageBytes } = spec ?? {}
  if (typeof most !== 'number' || !(most > 0)) wrong(`has a maxMessageBytes of ${String(most)}; give a number above 0`)
  if (command !== undefined && url !== undefined) wrong('has both a command and a url; leave one out')
  if (url === undefined) {
    if (typeof command !== 'string' || command === '') wrong('has neither a command nor a url; give it one of them')
    return
  }
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    wrong('has a url that is no address; write http://… or https://…')
  }
}
