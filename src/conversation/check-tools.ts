// Checks the tools of a request and the choice among them. Definitions in a provider's format are the common mistake: the error
// names the format and how to convert it.
import { isFrozen } from './freeze.js'
import {
  eachItem,
  type Given,
  invalidValue,
  type Members,
  memberOf,
  readObject,
  readString,
  readStrings,
  refuseUnknown,
  wrongValue,
} from './given.js'
import { type OpaqueTool, type ToolSpec, toolNameOf, toolSpecOf } from './request.js'

const specFields: ReadonlySet<string> = new Set(['type', 'name', 'description', 'inputSchema', 'strict', 'extra'])
const opaqueFields: ReadonlySet<string> = new Set(['type', 'origin', 'data'])

export function checkTools(tools: Given): void {
  eachItem(tools, 'an array of tools', checkTool)
}

function checkTool(given: Given): void {
  if (typeof given.value === 'object' && given.value !== null && isFrozen(given.value)) return
  const tool = readObject(given, 'a tool')
  if (hasSpec(tool)) return
  if (tool.type === 'opaque') {
    readObject(memberOf(given, tool, 'origin'))
    readObject(memberOf(given, tool, 'data'))
    refuseUnknown(given, tool, opaqueFields, 'an opaque tool')
    return
  }
  const format = foreignFormat(tool)
  if (format !== undefined) throw invalidValue(given, `is ${format}`)
  readString(memberOf(given, tool, 'name'))
  if (tool.description !== undefined) readString(memberOf(given, tool, 'description'))
  if (tool.inputSchema !== undefined) readObject(memberOf(given, tool, 'inputSchema'), 'a JSON Schema object')
  const strict = memberOf(given, tool, 'strict')
  if (strict.value !== undefined && typeof strict.value !== 'boolean') throw wrongValue(strict, 'true or false')
  refuseUnknown(given, tool, specFields, 'a tool')
}

/** Whether it is a tool with the function behind it: its spec was checked when it was defined. */
function hasSpec(tool: Members): boolean {
  const spec = toolSpecOf(tool as unknown as ToolSpec)
  return spec !== (tool as unknown) && typeof (spec as Partial<ToolSpec>).name === 'string'
}

const convert = 'convert it with importTool(definition).tool'

function foreignFormat(tool: Members): string | undefined {
  if (tool.tool !== undefined && Array.isArray(tool.notes)) {
    return 'the result of importTool; pass its member "tool"'
  }
  if (tool.function !== undefined || tool.type === 'function') return `an OpenAI-format tool definition; ${convert}`
  if (tool.input_schema !== undefined) return `an Anthropic-format tool definition; ${convert}`
  if (tool.functionDeclarations !== undefined) return `a Gemini-format tool definition; ${convert}`
  if (tool.parameters !== undefined || tool.parametersJsonSchema !== undefined) {
    return `a tool definition with "parameters", which another library or API reads; ${convert}`
  }
  if (tool.type !== undefined) {
    return `a tool of type ${JSON.stringify(tool.type)}; write a provider's own tool as { type: 'opaque', origin, data }`
  }
  return undefined
}

const choices = "'auto', 'none', 'required', { tool } or { allowed, mode }"

/** A choice of an unknown form, or one that names a tool the request does not have, is refused. */
export function checkToolChoice(given: Given, tools: readonly (ToolSpec | OpaqueTool)[] = []): void {
  const { value } = given
  if (value === 'auto' || value === 'none' || value === 'required') return
  const choice = readObject(given, choices)
  if (choice.tool !== undefined) {
    const tool = memberOf(given, choice, 'tool')
    checkDeclared(tool, [readString(tool)], tools)
    return
  }
  const allowed = memberOf(given, choice, 'allowed')
  if (allowed.value === undefined) throw wrongValue(given, choices)
  const mode = memberOf(given, choice, 'mode')
  if (mode.value !== 'auto' && mode.value !== 'required') throw wrongValue(mode, "'auto' or 'required'")
  checkDeclared(allowed, readStrings(allowed), tools)
}

function checkDeclared(given: Given, names: readonly string[], tools: readonly (ToolSpec | OpaqueTool)[]): void {
  const declared = tools.map(toolNameOf).filter((name) => name !== undefined)
  if (declared.length < tools.length) return // a provider's own tool without a name may be meant
  const missing = names.find((name) => !declared.includes(name))
  if (missing === undefined) return
  const shown = declared.length === 0 ? 'it has none' : `it has ${declared.slice(0, 20).join(', ')}`
  throw invalidValue(given, `names the tool "${missing}", which the request does not have; ${shown}`)
}
