// Which model a command talks to: what `--model` says, or the first that is at hand, and why.
import { type Wire, wires } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import {
  anthropic,
  gemini,
  local,
  type ModelFactory,
  ollama,
  ollamaHost,
  openai,
  openaiResponses,
  xai,
} from '../model/factories.js'
import type { Environment } from './terminal.js'

export type ModelChoice =
  | { readonly type: 'offline'; readonly wire: Wire }
  | { readonly type: 'vendor'; readonly vendor: string; readonly factory: ModelFactory; readonly model: string }

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly wire?: Wire | undefined
}

interface Vendor {
  readonly factory: ModelFactory
  /** The variable that holds the key; a vendor without one is never chosen by itself. */
  readonly variable?: string
  /** Taken when only the vendor is named. */
  readonly model?: string
}

/** In the order in which keys are looked for. */
const vendors: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['anthropic', { factory: anthropic, variable: 'ANTHROPIC_API_KEY', model: 'claude-sonnet-5-5' }],
  ['openai', { factory: openai, variable: 'OPENAI_API_KEY', model: 'gpt-6-sol' }],
  ['openai-responses', { factory: openaiResponses, variable: 'OPENAI_API_KEY', model: 'gpt-6-sol' }],
  ['gemini', { factory: gemini, variable: 'GEMINI_API_KEY', model: 'gemini-3.5-pro' }],
  ['xai', { factory: xai, variable: 'XAI_API_KEY', model: 'grok-4' }],
  ['ollama', { factory: ollama, model: 'qwen3' }],
  ['local', { factory: local }],
])

export const keyVariables: readonly string[] = [
  ...new Set([...vendors.values()].flatMap(({ variable }) => (variable === undefined ? [] : [variable]))),
]

export const defaultWire: Wire = 'anthropic'

/** What `--model` names: `vendor:id`, a vendor alone, or `offline` with or without a wire. */
export function parseModel(text: string): ModelChoice {
  const colon = text.indexOf(':')
  const name = colon === -1 ? text : text.slice(0, colon)
  const id = colon === -1 ? undefined : text.slice(colon + 1)
  if (name === 'offline') {
    const wire = wires.find((known) => known === (id ?? defaultWire))
    if (wire !== undefined) return { type: 'offline', wire }
    throw new ToolwireError('misuse', `there is no wire "${id}"; use offline:${wires.join(', offline:')}`)
  }
  const found = vendors.get(name)
  if (found === undefined) {
    const known = [...vendors.keys(), 'offline'].join(', ')
    throw new ToolwireError('misuse', `"${text}" names no model; write vendor:model, the vendor one of ${known}`)
  }
  const model = id ?? found.model
  if (model === undefined || model === '') {
    throw new ToolwireError('misuse', `"${text}" does not say which model; write ${name}:<model>`)
  }
  return { type: 'vendor', vendor: name, factory: found.factory, model }
}

/** The choice of the flags; where they make none, the first model at hand, and why it was taken. */
export async function chooseModel(
  flags: ModelFlags,
  env: Environment,
  findOllama: () => Promise<string | undefined> = runningOllama,
): Promise<{ readonly choice: ModelChoice; readonly why?: string }> {
  if (flags.model !== undefined) return { choice: withWire(parseModel(flags.model), flags) }
  if (flags.baseUrl !== undefined) {
    const message = '--base-url needs --model, which says how to speak to that server, such as --model local:<model>'
    throw new ToolwireError('misuse', message)
  }
  if (flags.wire !== undefined) return { choice: { type: 'offline', wire: flags.wire } }
  for (const [name, { variable }] of vendors) {
    if (variable !== undefined && env[variable]) return { choice: parseModel(name), why: `${variable} is set` }
  }
  const found = await findOllama()
  if (found !== undefined) return { choice: parseModel(`ollama:${found}`), why: 'Ollama is running' }
  const why = `none of ${keyVariables.join(', ')} is set and no Ollama is running`
  return { choice: { type: 'offline', wire: defaultWire }, why }
}

function withWire(choice: ModelChoice, { model, wire, baseUrl }: ModelFlags): ModelChoice {
  if (choice.type === 'offline') {
    if (baseUrl === undefined) return model === 'offline' ? { type: 'offline', wire: wire ?? choice.wire } : choice
    throw new ToolwireError('misuse', '--base-url is for a server; the offline engine brings its own')
  }
  if (wire === undefined) return choice
  throw new ToolwireError('misuse', `--wire is for the offline engine; the wire of "${model}" is the vendor's own`)
}

/** The first model of an Ollama that answers at once, on the address the model factory would use. */
async function runningOllama(): Promise<string | undefined> {
  try {
    const address = new URL('/api/tags', ollamaHost() ?? 'http://127.0.0.1:11434')
    const answer = await fetch(address, { signal: AbortSignal.timeout(300) })
    const { models } = (await answer.json()) as { readonly models?: readonly { readonly name?: unknown }[] }
    const name = models?.[0]?.name
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined // none is running, or it is something else
  }
}
