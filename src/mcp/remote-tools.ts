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
import { createTimeSlices } from './time-slices.js'

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

/** A listed definition and what became of it: a tool to register, nothing when it is the known one, or why it cannot be used. */
interface Listed {
  readonly name: string
  readonly definition: string
  readonly prepared?: McpTool
  readonly error?: ToolwireError
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
  #isCleared = false

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
    const listed = await this.#prepareAll(definitions)
    if (this.#isCleared) return
    const names = new Set<string>()
    const problems: McpProblem[] = []
    for (const one of listed) {
      const error = names.has(one.name)
        ? unusable(one.name, 'the server lists it twice; the first one is taken')
        : this.#take(one)
      names.add(one.name)
      if (error !== undefined) problems.push({ server: this.#server, tool: one.name, error })
    }
    for (const name of this.#tools.keys()) if (!names.has(name)) this.#withdraw(name, 'the server no longer has it')
    this.#problems = problems
  }

  /** In time slices: it is most of the work. The registry changes afterwards, in one step, so that no run sees half a list. */
  async #prepareAll(definitions: readonly unknown[]): Promise<readonly Listed[]> {
    const nextSlice = createTimeSlices()
    const listed: Listed[] = []
    for (const [index, definition] of definitions.entries()) {
      listed.push(this.#prepare(nameOf(definition) ?? `tools[${index}]`, definition))
      const pause = nextSlice()
      if (pause !== undefined) await pause
    }
    return listed
  }

  #prepare(name: string, given: unknown): Listed {
    const definition = displayJson(given)
    // The same tool object stays: programs may hold decisions about it.
    if (this.#tools.get(name)?.definition === definition) return { name, definition }
    try {
      return { name, definition, prepared: this.#import(name, given) }
    } catch (error) {
      if (!ToolwireError.is(error)) throw error
      return { name, definition, error }
    }
  }

  /** Takes all of the tools out of the registry. */
  clear(): void {
    this.#isCleared = true
    for (const { tool } of this.#tools.values()) this.#registry.remove(tool.name)
    this.#tools.clear()
  }

  /** The error when the definition cannot be used: then an earlier one under its name is withdrawn. */
  #take({ name, definition, prepared, error }: Listed): ToolwireError | undefined {
    const problem = error ?? (prepared === undefined ? undefined : this.#register(name, definition, prepared))
    if (problem !== undefined) this.#withdraw(name, problem.message)
    return problem
  }

  #register(name: string, definition: string, { tool, annotations }: McpTool): ToolwireError | undefined {
    try {
      this.#tools.set(name, { tool: this.#registry.renew(tool), annotations, definition })
      this.#withdrawn.delete(name)
      return undefined
    } catch (error) {
      if (!ToolwireError.is(error)) throw error
      return error
    }
  }

  #import(name: string, definition: unknown): McpTool {
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
    // Not a spread copy: that would read the digest, which takes longer than all the rest.
    return { tool: Object.assign(tool, outputOf(outputSchema)), annotations }
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
