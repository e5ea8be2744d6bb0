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
import { type ListingOptions, listModels } from '../model/listing.js'
import type { ListedModel } from '../wire/directory.js'
import type { Environment } from './terminal.js'

interface OfflineChoice {
  readonly type: 'offline'
  readonly wire: Wire
}
interface VendorChoice<Id> {
  readonly type: 'vendor'
  readonly vendor: string
  readonly factory: ModelFactory
  readonly model: Id
}
/** What was said; the model of a vendor may be left to it. */
export type ModelChoice = OfflineChoice | VendorChoice<string | undefined>
export type CompleteChoice = OfflineChoice | VendorChoice<string>

export interface ModelFlags {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly wire?: Wire | undefined
  /** Calls in the text of an answer are made. */
  readonly textCalls?: boolean | undefined
}

interface Vendor {
  readonly factory: ModelFactory
  readonly wire: Wire
  readonly profile: string
  /** The variable that holds the key; a vendor without one is never chosen by itself. */
  readonly variable?: string
  /** Where the environment says that it listens. */
  readonly address?: () => string | undefined
  /** The models that are taken when nobody says which: those that hold conversations and call tools. */
  readonly takes: RegExp
}

const anyChat = /^(?!.*(?:embed|rerank|whisper|tts))/i

/** In the order in which keys are looked for. No ids: they grow old; the vendor is asked what it has. */
const vendors: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  [
    'anthropic',
    { factory: anthropic, wire: 'anthropic', profile: 'anthropic', variable: 'ANTHROPIC_API_KEY', takes: /sonnet/ },
  ],
  ['openai', openAiVendor(openai, 'openai-chat')],
  ['openai-responses', openAiVendor(openaiResponses, 'openai-responses')],
  [
    'gemini',
    {
      factory: gemini,
      wire: 'gemini',
      profile: 'gemini',
      variable: 'GEMINI_API_KEY',
      takes: /^gemini-[\d.]+-(?:pro|flash)$/,
    },
  ],
  ['xai', { factory: xai, wire: 'openai-chat', profile: 'xai', variable: 'XAI_API_KEY', takes: /^grok-[\d.-]+$/ }],
  ['ollama', { factory: ollama, wire: 'ollama', profile: 'ollama', address: ollamaHost, takes: anyChat }],
  ['local', { factory: local, wire: 'openai-chat', profile: 'lm-studio', takes: anyChat }],
])

function openAiVendor(factory: ModelFactory, wire: Wire): Vendor {
  return {
    factory,
    wire,
    profile: 'openai',
    variable: 'OPENAI_API_KEY',
    takes: /^gpt-[\d.]+(?:-(?!\d|pro|codex)[a-z]{2,5})?$/,
  }
}

export const keyVariables: readonly string[] = [
  ...new Set([...vendors.values()].flatMap(({ variable }) => (variable === undefined ? [] : [variable]))),
]

export const defaultWire: Wire = 'anthropic'

/** What `--model` names: `vendor:id`, a vendor alone (then without a model), or `offline` with or without a wire. */
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
  if (id === '') throw new ToolwireError('misuse', `"${text}" does not say which model; write ${name}:<model>`)
  return { type: 'vendor', vendor: name, factory: found.factory, model: id }
}

/** Asks a vendor's server, or the one at an address, for its models. */
export type Lister = (options: ListingOptions) => Promise<readonly ListedModel[]>

/** The choice of the flags; where they make none, the first model at hand, and why it was taken. */
export async function chooseModel(flags: ModelFlags, env: Environment, list: Lister = listModels): Promise<Chosen> {
  if (flags.model !== undefined) return await complete(withWire(parseModel(flags.model), flags), flags, list)
  if (flags.baseUrl !== undefined) {
    const message = '--base-url needs --model, which says how to speak to that server, such as --model local'
    throw new ToolwireError('misuse', message)
  }
  if (flags.wire !== undefined) return { choice: { type: 'offline', wire: flags.wire } }
  for (const [name, { variable }] of vendors) {
    if (variable === undefined || !env[variable]) continue
    const { choice, why } = await complete(parseModel(name), flags, list)
    return { choice, why: `${variable} is set; ${why}` }
  }
  const found = await runningOllama(list)
  if (found !== undefined) return { choice: found, why: 'Ollama is running' }
  const why = `none of ${keyVariables.join(', ')} is set and no Ollama is running`
  return { choice: { type: 'offline', wire: defaultWire }, why }
}

interface Chosen {
  readonly choice: CompleteChoice
  readonly why?: string
}

/** Where only a vendor is named, its server says which models there are. */
async function complete(choice: ModelChoice, { baseUrl }: ModelFlags, list: Lister): Promise<Chosen> {
  if (choice.type === 'offline') return { choice }
  const { model, vendor } = choice
  if (model !== undefined) return { choice: { ...choice, model } }
  const found = vendors.get(vendor) as Vendor
  const listed = await list({
    wire: found.wire,
    profile: found.profile,
    baseUrl: baseUrl ?? found.address?.(),
    ...quick,
  }).catch((error: unknown) => {
    throw unlisted(vendor, error)
  })
  const fitting = listed.filter(({ id }) => found.takes.test(id))
  // A server of one's own lists in its own order.
  const [first] = found.variable === undefined ? fitting : newestFirst(fitting)
  if (first !== undefined) {
    const why = `${found.variable === undefined ? 'the first' : 'the newest that fits'} of ${listed.length} it lists`
    return { choice: { ...choice, model: first.id }, why }
  }
  const some = listed.slice(0, 5).map(({ id }) => id)
  const such = some.length === 0 ? 'it lists none' : `it lists ${some.join(', ')}${listed.length > 5 ? ', …' : ''}`
  throw new ToolwireError(
    'misuse',
    `${vendor} does not say which model to take; write --model ${vendor}:<model> (${such})`,
  )
}

const quick = { timeoutMs: 10_000, retries: 1 } as const

function unlisted(vendor: string, error: unknown): unknown {
  if (!ToolwireError.is(error)) return error
  const message = `the models of ${vendor} cannot be listed: ${error.message}; name one with --model ${vendor}:<model>`
  return new ToolwireError(error.code, message, { status: error.status, cause: error })
}

/** By the time they came out where the vendor says it, else by the numbers in their names. */
function newestFirst(models: readonly ListedModel[]): readonly ListedModel[] {
  return models.toSorted(
    (a, b) => (b.createdSeconds ?? 0) - (a.createdSeconds ?? 0) || b.id.localeCompare(a.id, 'en', { numeric: true }),
  )
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
async function runningOllama(list: Lister): Promise<CompleteChoice | undefined> {
  try {
    const models = await list({ wire: 'ollama', baseUrl: ollamaHost(), timeoutMs: 300, retries: 0 })
    const first = models.find(({ id }) => anyChat.test(id))
    return first === undefined ? undefined : { type: 'vendor', vendor: 'ollama', factory: ollama, model: first.id }
  } catch {
    return undefined // none is running, or it is something else
  }
}
