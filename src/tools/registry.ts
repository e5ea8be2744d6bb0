// The tools a program offers, from several sources, each under one name. Trap: names from servers may hold anything, so names
// live in a Map, and no server can choose a name that reads like another source's.
import { freeze } from '../conversation/freeze.js'
import { ToolwireError } from '../errors/error.js'
import type { AnyTool } from './tool.js'

/** Where an executor looks tools up. */
export interface ToolSource {
  get(name: string): AnyTool | undefined
  list(): readonly AnyTool[]
}

/** A definition that is not the one that was seen before under this source and name. */
export interface Drift {
  readonly source: string
  readonly name: string
  readonly pinned: string
  readonly found: string
}

/** What happens when names collide, and when a definition changes. */
export interface RegistryOptions {
  /** What to do when a name is taken by another source: `error` (the default), or `qualify` the later tool's name. */
  readonly onCollision?: 'error' | 'qualify' | undefined
  /** What to do when `add` meets a changed definition: `error` (the default), `replace` the pin, or ask. */
  readonly onDrift?: 'error' | 'replace' | ((drift: Drift) => 'error' | 'replace') | undefined
  /** Digests of an earlier run, as `digests()` gave them. */
  readonly pins?: { readonly [tool: string]: string } | undefined
}

interface Entry {
  readonly tool: AnyTool
  /** `source::name` as it came, before a collision changed the name. */
  readonly identity: string
  readonly scopes: ReadonlySet<string> | undefined
}

/**
 * Between source and name. It cannot be forged: the source before it is escaped and so holds no colon, and a registry that
 * qualifies does so to every name that holds the separator, so an unqualified name never does.
 */
const separator = '::'

/** Tools by name. Definitions are pinned: one that changed does not run until that is allowed. */
export class ToolRegistry implements ToolSource {
  readonly #entries = new Map<string, Entry>()
  /** The registered names of each identity, in the order they came. */
  readonly #names = new Map<string, Set<string>>()
  /** What has the digest of a definition; that of a tool is made only for who asks. */
  readonly #pins: Map<string, { readonly digest: string }>
  readonly #options: RegistryOptions

  constructor(tools: readonly AnyTool[] = [], options: RegistryOptions = {}) {
    this.#options = options
    this.#pins = new Map(Object.entries(options.pins ?? {}).map(([tool, digest]) => [tool, { digest }]))
    for (const tool of tools) this.add(tool)
  }

  /** Registers a tool, in the given scopes or everywhere, and returns it under the name it got. */
  add(tool: AnyTool, options: { readonly scopes?: readonly string[] | undefined } = {}): AnyTool {
    checkTool(tool)
    const name = this.#freeName(tool)
    this.#checkDrift(tool)
    const { scopes } = options
    return this.#put(name, tool, scopes === undefined ? undefined : new Set(scopes))
  }

  /** Puts a new definition in the place, name and scopes of the one from the same source, and pins it. */
  replace(tool: AnyTool): AnyTool {
    checkTool(tool)
    const identity = identityOf(tool)
    for (const name of this.#names.get(identity) ?? []) return this.#put(name, tool, this.#entries.get(name)?.scopes)
    const message = `there is no tool "${tool.name}" from "${tool.source}" to replace; add it`
    throw new ToolwireError('not_found', message, { detail: { tool: tool.name, source: tool.source } })
  }

  /** As `add`, but in the place of the one from the same source when there is one: a changed definition meets `onDrift`. */
  renew(tool: AnyTool): AnyTool {
    checkTool(tool)
    if (!this.#names.has(identityOf(tool))) return this.add(tool)
    this.#checkDrift(tool)
    return this.replace(tool)
  }

  /** Takes a tool away by its registered name; its pin stays, so that a changed definition is noticed when it comes back. */
  remove(name: string): boolean {
    const entry = this.#entries.get(name)
    if (entry === undefined) return false
    const names = this.#names.get(entry.identity)
    names?.delete(name)
    if (names?.size === 0) this.#names.delete(entry.identity)
    return this.#entries.delete(name)
  }

  get(name: string): AnyTool | undefined {
    return this.#entries.get(name)?.tool
  }

  /** All tools in the order they came; with a scope, those in it and those in no scope. */
  list(scope?: string): readonly AnyTool[] {
    const entries = [...this.#entries.values()]
    const inScope = scope === undefined ? entries : entries.filter(({ scopes }) => scopes?.has(scope) ?? true)
    return inScope.map(({ tool }) => tool)
  }

  /** The tools as they are now, for one run: later changes do not reach it. */
  snapshot(scope?: string): ToolSource {
    const tools = Object.freeze(this.list(scope))
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    return Object.freeze({ get: (name: string) => byName.get(name), list: () => tools })
  }

  /** How a definition differs from the one pinned for its source and name; undefined when it does not, or none is. */
  drift(tool: AnyTool): Drift | undefined {
    const known = this.#pins.get(identityOf(tool))
    if (known === undefined || known === tool || known.digest === tool.digest) return undefined
    return { source: tool.source, name: tool.name, pinned: known.digest, found: tool.digest }
  }

  /** Every definition seen, by source and name: store it, and give it as `pins` the next time. */
  digests(): { readonly [tool: string]: string } {
    return Object.fromEntries([...this.#pins].map(([tool, { digest }]) => [tool, digest]))
  }

  #put(name: string, tool: AnyTool, scopes: ReadonlySet<string> | undefined): AnyTool {
    const identity = identityOf(tool)
    const named = name === tool.name ? tool : renamed(tool, name)
    this.#entries.set(name, { tool: named, identity, scopes })
    const names = this.#names.get(identity)
    if (names === undefined) this.#names.set(identity, new Set([name]))
    else names.add(name)
    this.#pins.set(identity, tool)
    return named
  }

  #freeName(tool: AnyTool): string {
    const qualifies = this.#options.onCollision === 'qualify'
    const taken = this.#entries.get(tool.name)
    if (taken === undefined && !(qualifies && tool.name.includes(separator))) return tool.name
    const name = identityOf(tool)
    if (qualifies && taken?.identity !== name && !this.#entries.has(name)) return name
    const holder = (this.#entries.get(name) ?? taken)?.tool.source ?? tool.source
    const remedy =
      holder === tool.source ? 'replace or remove it first' : "rename one, or use { onCollision: 'qualify' }"
    throw new ToolwireError(
      'invalid_tool_spec',
      `the tool "${tool.name}" from "${tool.source}" cannot be added: "${holder}" already has one of that name; ${remedy}`,
      { detail: { tool: tool.name, rule: 'unique_name', source: tool.source, holder } },
    )
  }

  #checkDrift(tool: AnyTool): void {
    const drift = this.drift(tool)
    if (drift === undefined) return
    const { onDrift = 'error' } = this.#options
    if ((typeof onDrift === 'function' ? onDrift(drift) : onDrift) === 'replace') return
    throw new ToolwireError(
      'invalid_tool_spec',
      `the definition of "${tool.name}" from "${tool.source}" is not the one that was pinned; review it, then use onDrift 'replace'`,
      { detail: { tool: tool.name, rule: 'pinned_definition', ...drift } },
    )
  }
}

/** A plain definition in some provider's form has no function to run: it is refused here, not at its first call. */
function checkTool(tool: AnyTool): void {
  const { name, source, capabilities, checkInput, execute } = (tool ?? {}) as Partial<AnyTool>
  // Not read: a digest is made only for who asks.
  const hasFacts =
    [name, source].every((field) => typeof field === 'string') && 'digest' in tool && Array.isArray(capabilities)
  if (hasFacts && [checkInput, execute].every((field) => typeof field === 'function')) return
  throw new ToolwireError('invalid_tool_spec', 'this is not a defined tool; make it with tool({ … }) or importTool', {
    detail: { tool: typeof name === 'string' ? name : '', rule: 'definition_kind' },
  })
}

function identityOf(tool: AnyTool): string {
  return `${encodeURIComponent(tool.source.toWellFormed())}${separator}${tool.name}`
}

/** The same tool under another name; its digest stays that of the definition as it came. */
function renamed(tool: AnyTool, name: string): AnyTool {
  return {
    ...tool,
    name,
    spec: freeze({ ...tool.spec, name }),
    checkInput: (args, options) => tool.checkInput(args, options),
    execute: (input, context) => tool.execute(input, context),
  }
}
