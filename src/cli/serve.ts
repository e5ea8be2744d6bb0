// `toolwire serve`: the gateway as a process, from its config to its last answer.
import { ToolwireError } from '../errors/error.js'
import type { GatewayConfig } from '../gateway/config.js'
import { type CreatedGateway, createGateway } from '../gateway/gateway.js'
import { type GatewayRoute, isModel, type Target } from '../gateway/options.js'
import { type GatewayState, gatewayState } from '../gateway/state.js'
import type { Model } from '../model/model.js'
import type { Transport } from '../transport/transport.js'
import { listen } from './gateway-server.js'
import { openUpstream } from './gateway-upstream.js'
import { type ExitCode, errorLine, exitCodes } from './outcome.js'
import { ConfigFile, configFile } from './serve-config.js'
import { type GatewayLog, gatewayLog } from './serve-log.js'
import { sharedLimiter } from './serve-redis.js'
import { foundRoutes } from './serve-routes.js'
import { requestTracing } from './serve-telemetry.js'
import type { Terminal } from './terminal.js'

export interface GatewayFlags {
  readonly config?: string | undefined
  readonly port?: number | undefined
  readonly host?: string | undefined
  /** Seconds that answers on their way get when it ends. */
  readonly drain?: number | undefined
}

const usualPort = 4141
const usualDrainSeconds = 30

/** Serves until a signal comes. */
export async function serveCommand(
  flags: GatewayFlags,
  terminal: Terminal,
  process: NodeJS.Process,
): Promise<ExitCode> {
  outliveReaders(terminal, process)
  const source = await openSource(flags, terminal)
  try {
    await served(source, flags, terminal, process)
    return exitCodes.answered
  } finally {
    await source.close()
  }
}

/** Who reads the log may leave, or its disk be full: the gateway goes on without it. */
function outliveReaders({ say }: Terminal, { stdout, stderr }: NodeJS.Process): void {
  stdout.once('error', ({ message }) =>
    say(`the log cannot be written any more (${message}); the gateway goes on without it`),
  )
  for (const output of [stdout, stderr]) output.on('error', () => {}) // each later line fails again
}

async function served(source: Source, flags: GatewayFlags, terminal: Terminal, process: NodeJS.Process): Promise<void> {
  const { host = '127.0.0.1', port = usualPort, drain = usualDrainSeconds } = flags
  const log = gatewayLog(terminal)
  process.once('exit', log.flush) // also when something unforeseen ends it
  const { redis, limits } = source.options
  const shared = redis === undefined ? undefined : await sharedLimiter(redis, (message) => log.tell('error', message))
  const state: GatewayState = { ...gatewayState(limits), ...(shared === undefined ? {} : { limiter: shared.limiter }) }
  const upstream = await openUpstream()
  const own = { log: log.request, later: log.later, around: await requestTracing(), transport: upstream.transport }
  let gateway = gatewayFor(source.options, host, state, own)
  const server = await listen(() => gateway, { host, port })
  const unwatch = source.watch((options) => {
    gateway = gatewayFor(options, host, state, own)
  }, log)
  const signal = stopped(process, log.flush)
  const lines = [`gateway on ${server.url}`, ...source.lines.map((line) => `  ${line}`), ...clientLines(server.url)]
  for (const line of lines) terminal.say(line)
  await signal
  log.tell('info', 'stopping: answers on their way are finished')
  unwatch()
  await server.drain(drain * 1000)
  await upstream.close()
  log.flush()
  shared?.close()
}

/** What the command adds to every config. */
interface Own extends Pick<GatewayConfig, 'log' | 'later' | 'around'> {
  readonly transport: Transport
}

function gatewayFor(
  options: GatewayConfig,
  host: string,
  state: GatewayState,
  { transport, ...watching }: Own,
): CreatedGateway {
  if (!isLoopback(host) && (options.keys ?? []).length === 0) {
    const message = `the gateway would be open to everybody who reaches ${host}; write "keys" into its config, or leave out --host`
    throw new ToolwireError('misuse', message)
  }
  const { hosts = [] } = options
  const routes = options.routes.map((route) => withTransport(route, transport))
  return createGateway({ ...options, ...watching, routes, hosts: [...hosts, host.replace(/%.*$/, '')] }, state)
}

function withTransport(route: GatewayRoute, transport: Transport): GatewayRoute {
  const connected = (target: Target | Model): Target | Model => (isModel(target) ? target : { transport, ...target })
  const { targets, fallbacks = [] } = route
  return { ...route, targets: targets.map(connected), fallbacks: fallbacks.map(connected) }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

interface Source {
  readonly options: GatewayConfig
  readonly lines: readonly string[]
  /** Hands on each new config that `use` takes, and tells why one was not. Returns what ends it. */
  watch(use: (options: GatewayConfig) => void, log: GatewayLog): () => void
  close(): Promise<void>
}

async function openSource(flags: GatewayFlags, { env }: Terminal): Promise<Source> {
  const file = configFile(flags.config)
  if (file === undefined) {
    const found = await foundRoutes(env)
    return { ...found, watch: () => () => {} }
  }
  const config = new ConfigFile(file, env)
  const options = config.load()
  return {
    options,
    lines: [`${file}: ${options.routes.map(({ match }) => match).join(', ')}`],
    watch: (use, log) =>
      config.watch(() => {
        try {
          const read = config.load()
          use(read)
          log.tell('info', `the config was read again: ${file}`)
          const late = fixedSettings.filter((name) => settingOf(read, name) !== settingOf(options, name))
          if (late.length > 0) log.tell('info', `${late.join(', ')}: takes effect when the gateway is started again`)
        } catch (error) {
          const why = ToolwireError.is(error) ? errorLine(error) : String(error)
          log.tell('error', `the config was not taken, the one before stays: ${why}`)
        }
      }),
    close: async () => {},
  }
}

/** What a gateway has from its start to its end: where it counts, and how much it remembers. */
const fixedSettings = ['redis', 'limits.storedConversations', 'limits.storedBytes'] as const

function settingOf(
  { redis, limits }: GatewayConfig,
  name: (typeof fixedSettings)[number],
): string | number | undefined {
  switch (name) {
    case 'redis':
      return redis
    case 'limits.storedConversations':
      return limits?.storedConversations
    default:
      return limits?.storedBytes
  }
}

/** What to type, so that a client asks here. */
function clientLines(url: string): readonly string[] {
  const codex = `{name="toolwire",base_url="${url}/v1",env_key="TOOLWIRE_KEY",wire_api="responses"}`
  return [
    'use it from another terminal (any key will do where the config names none):',
    `  ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=key claude`,
    `  TOOLWIRE_KEY=key codex -c 'web_search="disabled"' --disable multi_agent -c model_provider=toolwire -c 'model_providers.toolwire=${codex}'`,
    `  GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=key gemini`,
    `  OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=key …    OLLAMA_HOST=${url} …`,
  ]
}

/** Fulfilled by the first signal; the second ends the process at once. */
function stopped(process: NodeJS.Process, flush: () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.on('SIGINT', leave).on('SIGTERM', leave)
      resolve()
    }
    const leave = (): void => {
      flush()
      process.exit(exitCodes.interrupted)
    }
    process.once('SIGINT', stop).once('SIGTERM', stop)
  })
}
