// Every rule a tool definition can break, in one table: the id is `detail.rule` of the error, the text says what to do.
import { ToolwireError } from '../errors/error.js'
import { type SchemaRule, schemaRules } from '../schema/rules.js'

const toolRules = {
  definition_kind: 'give one object that defines one function tool',
  name_missing: 'give the tool a name',
  name_style: 'start with a lower-case letter and use only a-z, 0-9 and _; importTool takes names you do not control',
  name_length: 'shorten it to at most 64 characters',
  description_missing: 'say in 10 to 500 characters what the tool does and when to use it',
  description_length: 'say in 10 to 500 characters what the tool does and when to use it',
  input_missing:
    'pass the schema of its parameters as input: a Standard Schema, a JSON Schema, or params.object({…}); params.object({}) for none',
  execute_missing: 'pass the function that does the work as execute',
  capability_unknown: 'use network, filesystem, database or shell',
  limit_value: 'give a number above 0',
  flag_value: 'write true or false',
  formats_value: 'give formats of toolwire/formats, or an object of functions by the name of their format',
} as const
export type SpecRule = keyof typeof toolRules | SchemaRule

export const specRules: Readonly<Record<SpecRule, string>> = { ...toolRules, ...schemaRules }

/** The error for a broken rule; `message` is a clause that says what is wrong. */
export function specError(tool: string, rule: SpecRule, message: string, path = ''): ToolwireError {
  const name = tool.length > 100 ? `${tool.slice(0, 100)}…` : tool
  const place = path === '' ? '' : ` at ${path}`
  return new ToolwireError(
    'invalid_tool_spec',
    `tool ${JSON.stringify(name)} breaks the rule ${rule}: ${message}${place}; ${specRules[rule]}`,
    { detail: { tool: name, rule, ...(path === '' ? {} : { path }) } },
  )
}
