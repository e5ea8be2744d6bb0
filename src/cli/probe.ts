// `toolwire probe`: asks a live server by real calls what it can do, and prints a table.
// The trap: a key from the environment must not go to whatever server is probed; only the vendor's own gets it unasked.
import { ToolwireError } from '../errors/error.js'
import type { Writable } from '../json/stringify.js'
import { recordOf } from '../model/factories.js'
import { listModels } from '../model/listing.js'
import { type Probe, probe } from '../model/probe.js'
import type { Feature } from '../model/probe-questions.js'
import type { Profile } from '../wire/codec.js'
import type { WireFlags } from './line-commands.js'
import { jsonLine } from './lines.js'
import { type ExitCode, exitCodes } from './outcome.js'
import { harmless, oneLine, type Terminal, widthOf } from './terminal.js'

export interface ProbeFlags extends WireFlags {
  readonly model?: string | undefined
  readonly keyEnv?: string | undefined
  /** Seconds for all questions. */
  readonly timeout?: number | undefined
  readonly json?: boolean | undefined
}

const labels: Readonly<Record<Feature, string>> = {
  tools: 'tools',
  callIds: 'ids on calls',
  streaming: 'streaming',
  toolChoiceAuto: 'choice auto',
  parallelToolCalls: 'parallel calls',
  toolChoiceNone: 'choice none',
  toolChoiceRequired: 'choice required',
  toolChoiceNamed: 'choice of one tool',
  toolChoiceAllowed: 'choice of some tools',
  structuredOutput: 'structured output',
  structuredOutputWithTools: 'structured with tools',
  images: 'images',
  reasoning: 'reasoning',
}

export async function probeCommand(address: string, flags: ProbeFlags, terminal: Terminal): Promise<ExitCode> {
  const { wire, timeout } = flags
  const server = { wire, baseUrl: addressOf(address), ...credentials(address, flags, terminal), retries: 1 }
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  process.once('SIGINT', interrupt)
  try {
    terminal.spinner.start('asking for its models')
    const model = flags.model ?? (await firstModel(server, controller.signal))
    const found = await probe(
      { ...server, model },
      {
        signal: controller.signal,
        ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
        onQuestion: ({ feature, index, total }) => progress(terminal, `${index + 1} of ${total}: ${labels[feature]}`),
      },
    )
    terminal.spinner.stop()
    const asked = { url: server.baseUrl, wire, profile: server.profile.name, model }
    terminal.output.write(
      flags.json === true ? jsonLine({ ...asked, ...found } as unknown as Writable) : page(asked, found, terminal),
    )
    return exitCodes.answered
  } catch (error) {
    if (controller.signal.aborted) return exitCodes.interrupted
    throw error
  } finally {
    process.off('SIGINT', interrupt)
    terminal.spinner.stop()
  }
}

/** A spinner where there is a terminal, lines elsewhere. */
function progress({ spinner, error, say }: Terminal, label: string): void {
  if (error.isTTY === true) spinner.start(label)
  else say(label)
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new ToolwireError('misuse', `"${oneLine(text, 80)}" is no http or https address`)
}

/** The key that `--key-env` names, or the vendor's own for the vendor's own address. */
function credentials(
  address: string,
  { wire, profile, keyEnv }: ProbeFlags,
  { env }: Terminal,
): { readonly profile: Profile; readonly apiKey?: string } {
  const { record } = recordOf(wire, profile)
  if (keyEnv !== undefined) {
    const apiKey = env[keyEnv]
    if (apiKey) return { profile: record, apiKey }
    throw new ToolwireError('misuse', `the variable ${keyEnv} is not set; --key-env names the one that holds the key`)
  }
  const isVendor = record.baseUrl !== undefined && new URL(address).origin === new URL(record.baseUrl).origin
  const { keyVariable } = record
  if (isVendor && record.auth !== 'none' && keyVariable !== undefined && !env[keyVariable]) {
    const message = `there is no key for ${record.name}; set ${keyVariable}, or name the variable with --key-env`
    throw new ToolwireError('authentication', message)
  }
  if (isVendor) return { profile: record }
  const { keyVariable: _, ...withoutKey } = record
  return { profile: withoutKey }
}

async function firstModel(server: Parameters<typeof listModels>[0], signal: AbortSignal): Promise<string> {
  const models = await listModels({ ...server, timeoutMs: 10_000, signal }).catch((error: unknown) => {
    if (!ToolwireError.is(error) || error.code === 'network' || error.code === 'authentication') throw error
    return []
  })
  const first = models[0]?.id
  if (first !== undefined) return first
  throw new ToolwireError(
    'misuse',
    'the server does not list its models on this wire; say which with --model, or check --wire',
  )
}

function page(
  { url, wire, model }: { readonly url: string; readonly wire: string; readonly model: string },
  { findings, calls }: Probe,
  { output }: Terminal,
): string {
  const wide = Math.max(...findings.map(({ feature }) => labels[feature].length))
  const room = output.isTTY === true ? Math.max(30, widthOf(output, 100) - wide - 12) : 200
  const lines = findings.map(
    ({ feature, support, evidence }) =>
      `${labels[feature].padEnd(wide)}  ${support.padEnd(7)}  ${oneLine(evidence, room)}`,
  )
  return `${harmless(model)} at ${harmless(url)}, on the ${wire} wire, by ${calls} calls\n\n${lines.join('\n')}\n`
}
