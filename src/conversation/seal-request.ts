// Makes a whole request one that a wire accepts: its history through `seal`, and tools and choice that agree with each other.
import { canonicalJson } from '../json/canonical.js'
import type { Json } from '../json/types.js'
import { memoOf } from './freeze.js'
import type { Loss } from './losses.js'
import { at } from './losses.js'
import {
  type CompletionRequest,
  type OpaqueTool,
  type ToolChoice,
  type ToolSpec,
  toolNameOf,
  withToolSpecs,
} from './request.js'
import { seal } from './seal.js'
import { comesHome, type SealRules } from './seal-rules.js'
import { declareCalledTools } from './seal-tools.js'
import { isUnicode, unicodeOf } from './unicode.js'

export interface SealedRequest {
  readonly request: CompletionRequest
  /** All of kind `repaired`; paths point into the request as it was given. */
  readonly losses: readonly Loss[]
}

/** Total and idempotent; a request that needs no repair comes back as the same object. */
export function sealRequest(request: CompletionRequest, rules: SealRules): SealedRequest {
  const { messages, losses: repairs } = seal(request.messages, rules)
  const losses = [...repairs]
  const report = (code: string, path: string, message: string): void => {
    losses.push({ code, wire: rules.wire, path, kind: 'repaired', message })
  }
  const declared = withToolSpecs(messages === request.messages ? request : { ...request, messages })
  let sealed = declared
  sealed = withTools(withoutEmpty(inUnicode(sealed, report), report), rules, report)
  sealed = withinChoice(withChoice(sealed, report), declared, rules, report)
  return { request: declareCalledTools(sealed, rules, report), losses }
}

type Report = (code: string, path: string, message: string) => void

/** Tools and settings without halves of surrogate pairs; the history is looked through with its parts. */
function inUnicode(request: CompletionRequest, report: Report): CompletionRequest {
  if (isUnicodeRequest(request)) return request
  const { messages, ...settings } = request
  const changed = (path: string): void => {
    report('text_not_unicode', path, 'half of a surrogate pair was replaced by U+FFFD')
  }
  return { ...(unicodeOf(settings as unknown as Json, '', changed) as unknown as typeof settings), messages }
}

function isUnicodeRequest(request: CompletionRequest): boolean {
  for (const key of Object.keys(request) as (keyof CompletionRequest)[]) {
    if (key === 'messages') continue
    if (!(key === 'tools' ? (request.tools ?? []).every(isUnicodeTool) : isUnicode(request[key]))) return false
  }
  return true
}

/** Looked at once when the tool can no longer change. */
function isUnicodeTool(tool: ToolSpec | OpaqueTool): boolean {
  const memo = memoOf(tool)
  let known = memo?.get<boolean>(isUnicodeTool)
  if (known === undefined) {
    known = isUnicode(tool)
    memo?.set(isUnicodeTool, known)
  }
  return known
}

/** Settings that say nothing: some wires refuse an empty list, and none can tell one from its absence. */
function withoutEmpty(request: CompletionRequest, report: Report): CompletionRequest {
  let sealed = request
  if (sealed.tools?.length === 0) {
    report('setting_empty', '/tools', 'an empty list of tools was left out')
    const { tools: _, ...rest } = sealed
    sealed = rest
  }
  if (sealed.stop?.length === 0) {
    report('setting_empty', '/stop', 'an empty list of stop sequences was left out')
    const { stop: _, ...rest } = sealed
    sealed = rest
  }
  if (sealed.reasoning !== undefined && Object.keys(sealed.reasoning).length === 0) {
    report('setting_empty', '/reasoning', 'reasoning settings without any setting were left out')
    const { reasoning: _, ...rest } = sealed
    sealed = rest
  }
  return sealed
}

/** One tool per name, provider-built tools only where they come from, and none that the wire cannot be told of. */
function withTools(request: CompletionRequest, rules: SealRules, report: Report): CompletionRequest {
  if (request.tools === undefined) return request
  const seen = new Set<string>()
  const tools = request.tools.filter((tool, index) => {
    if (tool.type === 'opaque' && !comesHome(tool.origin, rules)) {
      report(
        'tool_foreign',
        at('/tools', index),
        `a built-in tool of ${tool.origin.wire} cannot be used on ${rules.wire}`,
      )
      return false
    }
    const name = tool.type === 'opaque' ? builtInName(tool) : tool.name
    const refused = tool.type === 'opaque' ? undefined : rules.refusedTool?.(tool)
    if (refused !== undefined) {
      report('tool_isolated', at('/tools', index), `the tool "${name}" cannot be declared on ${rules.wire}: ${refused}`)
      return false
    }
    if (!seen.has(name)) {
      seen.add(name)
      return true
    }
    report('tool_repeated', at('/tools', index), `the tool "${name}" is declared twice; the first one counts`)
    return false
  })
  if (tools.length === 0) {
    const { tools: _, ...rest } = request
    return rest
  }
  return tools.length === request.tools.length ? request : { ...request, tools }
}

/** What tells a provider's own tool from others: its name, else all it says. */
function builtInName({ data }: OpaqueTool): string {
  return typeof data.name === 'string' ? data.name : canonicalJson(data)
}

/** A choice needs tools, and may only name declared ones. */
function withChoice(request: CompletionRequest, report: Report): CompletionRequest {
  const sealed = withoutParallel(request, report)
  if (sealed.toolChoice === undefined) return sealed
  const choice = possibleChoice(sealed.toolChoice, sealed)
  if (choice === sealed.toolChoice) return sealed
  report('tool_choice_impossible', '/toolChoice', 'the choice names tools that are not declared')
  const { toolChoice: _, ...rest } = sealed
  return choice === undefined ? rest : { ...rest, toolChoice: choice }
}

function withoutParallel(request: CompletionRequest, report: Report): CompletionRequest {
  if (request.tools !== undefined || request.parallelToolCalls === undefined) return request
  report('parallel_without_tools', '/parallelToolCalls', 'there are no tools, so nothing can be called in parallel')
  const { parallelToolCalls: _, ...rest } = request
  return rest
}

function possibleChoice(choice: ToolChoice, request: CompletionRequest): ToolChoice | undefined {
  if (request.tools === undefined) return undefined
  if (typeof choice === 'string') return choice
  const declared = new Set(request.tools.map(toolNameOf))
  if ('tool' in choice) return declared.has(choice.tool) ? choice : undefined
  const allowed = [...new Set(choice.allowed)].filter((name) => declared.has(name))
  if (allowed.length === 0) return undefined
  return allowed.length === choice.allowed.length ? choice : { ...choice, allowed }
}

/** Where the wire cannot say which tools a choice allows, no other tool is declared: so none of them can be called. */
function withinChoice(
  request: CompletionRequest,
  given: CompletionRequest,
  rules: SealRules,
  report: Report,
): CompletionRequest {
  const { toolChoice: choice, tools } = request
  const { choices = 'allowed' } = rules
  if (tools === undefined || choice === undefined || canSay(choice, choices)) return request
  const names = new Set<string | undefined>(namesIn(choice))
  const places = new Map(given.tools?.map((tool, index) => [tool, index] as const).reverse())
  const kept = tools.filter((tool, index) => {
    if (names.has(toolNameOf(tool))) return true
    report(
      'tool_ruled_out',
      at('/tools', places.get(tool) ?? index),
      'the choice rules this tool out; it is not declared',
    )
    return false
  })
  report('tool_choice_declared', '/toolChoice', 'the tools that may be called are the ones that are declared')
  const { tools: _, toolChoice: __, ...rest } = request
  if (kept.length === 0) return withoutParallel(rest, report)
  const mode = typeof choice === 'object' && 'mode' in choice ? choice.mode : 'required'
  return { ...rest, tools: kept, toolChoice: mode }
}

/** Whether the wire has words for which tools a choice allows; how hard it asks for one of them is another matter. */
function canSay(choice: ToolChoice, choices: SealRules['choices'] & string): boolean {
  if (choice === 'none') return choices !== 'none'
  if (typeof choice === 'string' || choices === 'allowed') return true
  return 'tool' in choice && choices === 'named'
}

function namesIn(choice: ToolChoice): readonly string[] {
  if (typeof choice === 'string') return []
  return 'tool' in choice ? [choice.tool] : choice.allowed
}
