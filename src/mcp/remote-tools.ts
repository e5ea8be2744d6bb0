// The tools of one server in a registry, kept as the server lists them. Trap: a server may change a tool after it was looked
// at; a definition that the registry refuses is taken out and can no longer be called, not even by a run that began before.
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { ToolExecutionError } from '../conversation/tool-error.js'
import { ToolwireError } from '../errors/error.js'
import { displayJson } from '../json/display.js'
import { isJsonObject } from '../json/parse.js'
import type { JsonObject, ValueObject } from '../json/types.js'
import type { Checked } from '../schema/issue.js'
import { normaliseSchema } from '../schema/normalise.js'
import { plainCopy } from '../schema/plain.js'
import { checkSize } from '../schema/size.js'
import { compileSchema, type Validator } from '../schema/validate.js'
import { importTool } from '../tools/import-tool.js'
import type { ToolRegistry } from '../tools/registry.js'
import type { AnyTool, ToolContext } from '../tools/tool.js'
import type { Ask } from './ask.js'
import { type CallResult, callResultOf, failedCall } from './call-result.js'
import type { Connection } from './connection.js'
import { listAll } from './listing.js'
import { capabilitiesOf, type McpServerSpec } from './server-spec.js'

/** A server, or one of its tools, that cannot be used, and why. */
export interface McpProblem {
  readonly server: string
  readonly tool?: string
  readonly error: ToolwireError
}

/** A tool of a server, under the name it has in the registry. */
export interface McpTool {
  readonly tool: AnyTool
  /** Hints of the server about the tool (`readOnlyHint`, …): as true as the server is honest. */
  readonly annotations: JsonObject
}

export class RemoteTools {
  readonly #server: string
  readonly #spec: McpServerSpec
  readonly #registry: ToolRegistry
  readonly #connection: () => Connection
  /** By the server's own names. */
  readonly #tools = new Map<string, McpTool & { readonly definition: string }>()
  readonly #withdrawn = new Map<string, string>()
  #problems: readonly McpProblem[] = []

  constructor(server: string, spec: McpServerSpec, registry: ToolRegistry, connection: () => Connection) {
    this.#server = server
    this.#spec = spec
    this.#registry = registry
    this.#connection = connection
  }

  get problems(): readonly McpProblem[] {
    return this.#problems
  }

  get tools(): readonly McpTool[] {
    return [...this.#tools.values()].map(({ tool, annotations }) => ({ tool, annotations }))
  }

  /**
   * Brings the registry to what the server lists now, when it is its turn. One bad tool is a problem, and the others are
   * there.
   */
  async sync(ask: Ask, turn?: Promise<unknown>): Promise<void> {
    const definitions = await listAll(ask, 'tools/list', 'tools')
    await turn
    const problems: McpProblem[] = []
    const listed = new Set<string>()
    for (const [index, definition] of definitions.entries()) {
      const name = nameOf(definition) ?? `tools[${index}]`
      const isTwice = listed.has(name)
      listed.add(name)
      const error = isTwice
        ? unusable(name, 'the server lists it twice; the first one is taken')
        : this.#take(name, definition)
      if (error !== undefined) problems.push({ server: this.#server, tool: name, error })
    }
    for (const name of this.#tools.keys()) if (!listed.has(name)) this.#withdraw(name, 'the server no longer has it')
    this.#problems = problems
  }

  /** Takes all of the tools out of the registry. */
  clear(): void {
    for (const { tool } of this.#tools.values()) this.#registry.remove(tool.name)
    this.#tools.clear()
  }

  /** The error when the definition cannot be used: then an earlier one under its name is withdrawn. */
  #take(name: string, definition: unknown): ToolwireError | undefined {
    const written = displayJson(definition)
    // The same tool object stays: programs may hold decisions about it.
    if (this.#tools.get(name)?.definition === written) return undefined
    try {
      this.#tools.set(name, { ...this.#register(name, definition), definition: written })
      this.#withdrawn.delete(name)
      return undefined
    } catch (error) {
      if (!ToolwireError.is(error)) throw error
      this.#withdraw(name, error.message)
      return error
    }
  }

  #register(name: string, definition: unknown): McpTool {
    const { execution, outputSchema } = (definition ?? {}) as { readonly [key: string]: unknown }
    if (isJsonObject(execution) && execution.taskSupport === 'required') {
      throw unusable(name, 'it runs as a task only, which this client does not speak')
    }
    const { timeoutMs, formats } = this.#spec
    const { tool, annotations = {} } = importTool(definition, {
      source: this.#server,
      capabilities: capabilitiesOf(this.#spec),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(formats === undefined ? {} : { formats }),
      execute: (input, context) => this.#call(name, input, context),
    })
    return { tool: this.#registry.renew({ ...tool, ...outputOf(outputSchema) }), annotations }
  }

  #withdraw(name: string, reason: string): void {
    const known = this.#tools.get(name)
    if (known === undefined) return
    this.#registry.remove(known.tool.name)
    this.#tools.delete(name)
    this.#withdrawn.set(name, reason)
  }

  async #call(name: string, input: ValueObject, { signal, progress }: ToolContext): Promise<CallResult> {
    // Asked only when the connection is open: opening it may show that the tool is not what it was.
    const onSend = (): void => {
      const reason = this.#withdrawn.get(name)
      if (reason !== undefined) throw new ToolExecutionError('resource_not_found', `"${name}" was withdrawn: ${reason}`)
    }
    const asked = { method: 'tools/call', params: { name, arguments: input } }
    try {
      return callResultOf(await this.#connection().ask(asked, { signal, onProgress: progress, onSend }))
    } catch (error) {
      if (error instanceof McpError) return failedCall(error.message)
      throw error
    }
  }
}

/** The check of what a server calls structured content. A schema that cannot be used checks nothing. */
function outputOf(outputSchema: unknown): Pick<AnyTool, 'outputSchema' | 'checkOutput'> {
  const schema = plainCopy(outputSchema)
  if (!isJsonObject(schema) || checkSize(schema) !== undefined) return {}
  let validate: Validator
  try {
    // As lenient as with the schema of the arguments.
    validate = compileSchema(normaliseSchema(schema).schema, 'open')
  } catch {
    return {}
  }
  const checkOutput = (result: CallResult): Checked<CallResult> => {
    if (result.isError === true || result.structuredContent === undefined) return { ok: true, value: result }
    const checked = validate(result.structuredContent)
    return checked.ok ? { ok: true, value: result } : checked
  }
  return { outputSchema: schema, checkOutput: checkOutput as NonNullable<AnyTool['checkOutput']> }
}

function nameOf(definition: unknown): string | undefined {
  const { name } = (definition ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? name : undefined
}

function unusable(name: string, why: string): ToolwireError {
  return new ToolwireError('invalid_tool_spec', `the tool "${name}" cannot be used: ${why}`, { detail: { tool: name } })
}
