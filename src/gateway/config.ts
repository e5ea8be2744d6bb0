// A gateway's config file: read, checked, and its references to the environment filled in.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json } from '../json/types.js'
import { checkJson } from '../schema/validate.js'
import { filledSchema, reference } from './config-schema.js'
import type { GatewayOptions } from './options.js'

/** What a config file says. */
export interface GatewayConfig extends GatewayOptions {
  /** Where several gateways count together. */
  readonly redis?: string
}

/** The config a text says. Everything that is wrong with it is told at once, each with its place. */
export function readConfig(text: string, environment: (name: string) => string | undefined): GatewayConfig {
  const checked = checkJson(filledSchema, filled(parsed(text), '', environment))
  if (checked.ok) return checked.value as GatewayConfig
  const issues = checked.issues.map(({ path, message }) => `${path === '' ? 'the config' : path} ${message}`)
  throw new ToolwireError('misuse', `the config is not valid: ${issues.join('; ')}`)
}

function parsed(text: string): Json {
  try {
    return parseBody(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read'
    throw new ToolwireError('misuse', `the config is no JSON: ${reason}`, { cause })
  }
}

const references = new RegExp(reference, 'g')

/**
 * Replaces `${NAME}` in every text; the line break that ends what a file was read into belongs to the file. A variable that is
 * not set is an error: a gateway without its key would refuse all calls.
 */
function filled(value: Json, path: string, environment: (name: string) => string | undefined): Json {
  if (typeof value === 'string') {
    return value.replace(references, (_, name: string) => {
      const found = environment(name)?.replace(/[\r\n]+$/, '')
      if (found !== undefined && found !== '') return found
      throw new ToolwireError('misuse', `the config refers to \${${name}} at ${path}, which is not set`)
    })
  }
  if (Array.isArray(value)) return value.map((item: Json, index) => filled(item, at(path, index), environment))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, at(path, key), environment)]))
}
