// The configuration people already have: `{ "mcpServers": { name: { command, args, env } or { url, headers } } }`, with
// `${VAR}` taken from the environment. Trap: the file is foreign; whatever is wrong with it is misuse that says where.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { checkSpec, type McpServerSpec } from './server-spec.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The servers of a configuration that are not disabled, with `${VAR}` and `${VAR:-otherwise}` filled in from `env`. */
export function mcpServersOf(config: unknown, env: Environment): Readonly<Record<string, McpServerSpec>> {
  const servers = isJsonObject(config) ? config.mcpServers : undefined
  if (!isJsonObject(servers)) {
    throw new ToolwireError('misuse', 'the MCP configuration has no object "mcpServers" of servers by name')
  }
  const used = Object.entries(servers).filter(([, entry]) => !isJsonObject(entry) || entry.disabled !== true)
  return Object.fromEntries(used.map(([name, entry]) => [name, specOf({ name, env }, entry)]))
}

interface Place {
  readonly name: string
  readonly env: Environment
}

function specOf(place: Place, entry: Json): McpServerSpec {
  if (!isJsonObject(entry)) throw wrong(place, 'is not an object')
  const { type, command, args = [], cwd } = entry
  if (type === 'sse') throw wrong(place, 'uses the old "sse" transport; use the streamable HTTP address of the server')
  if (!Array.isArray(args)) throw wrong(place, 'has "args" that are no list')
  const spec: McpServerSpec =
    command === undefined
      ? { url: text(place, 'url', entry.url), headers: texts(place, 'headers', entry) }
      : {
          command: text(place, 'command', command),
          args: args.map((arg: Json, index) => text(place, `args[${index}]`, arg)),
          env: texts(place, 'env', entry),
          ...(cwd === undefined ? {} : { cwd: text(place, 'cwd', cwd) }),
          ...(entry.url === undefined ? {} : { url: text(place, 'url', entry.url) }),
        }
  checkSpec(place.name, spec)
  return spec
}

function texts(place: Place, field: string, entry: JsonObject): Readonly<Record<string, string>> {
  const given = entry[field] ?? {}
  if (!isJsonObject(given)) throw wrong(place, `has "${field}" that is not an object`)
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, text(place, `${field}.${key}`, value)]))
}

function text(place: Place, field: string, value: Json | undefined): string {
  if (value === undefined) throw wrong(place, 'has neither a command nor a url; give it one of them')
  if (typeof value !== 'string') throw wrong(place, `has "${field}" that is not a text`)
  return value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_match, variable: string, otherwise?: string) => {
    const found = (Object.hasOwn(place.env, variable) ? place.env[variable] : '') || otherwise
    if (found !== undefined) return found
    throw wrong(
      place,
      `needs the environment variable ${variable} for "${field}"; set it, or write \${${variable}:-otherwise}`,
    )
  })
}

function wrong({ name }: Place, message: string): ToolwireError {
  return new ToolwireError('misuse', `the MCP server "${name}" of the configuration ${message}`)
}
