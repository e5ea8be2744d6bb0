// What a probe finds out about servers that do as they are told, and about servers that do not.
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { compatible } from '../../src/model/factories.js'
import type { Support } from '../../src/model/model.js'
import { type Probe, type ProbeOptions, probe } from '../../src/model/probe.js'
import type { Feature } from '../../src/model/probe-questions.js'
import { type ProviderServerOptions, providerServer, type ScriptedTurn } from '../../src/testing/index.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const call = (name: string, city = 'Paris') => ({ name, args: { city } })
const hasTools = ({ tools = [] }: CompletionRequest): boolean => tools.length > 0
const askedOf = ({ messages }: CompletionRequest): string => JSON.stringify(messages)

/** A model that does what a good one does: obeys choices, schemas and words. */
function obedient(request: CompletionRequest): ScriptedTurn {
  const { toolChoice, output } = request
  if (typeof toolChoice === 'object') {
    return { calls: [call('tool' in toolChoice ? toolChoice.tool : (toolChoice.allowed[0] ?? ''))] }
  }
  if (output !== undefined) return { text: '{"country":"France","letters":6}' }
  if (askedOf(request).includes('square')) return { text: 'Red.' }
  if (askedOf(request).includes('prime')) return { reasoning: '2, 3, 5, …', text: 'Eight.' }
  if (askedOf(request).includes('Count')) return { text: 'one, two, three, four' }
  if (toolChoice === 'required') return { calls: [call('get_time')] }
  if (!hasTools(request) || toolChoice === 'none') return { text: 'ready' }
  if (askedOf(request).includes('Lima'))
    return { calls: ['Paris', 'Tokyo', 'Lima'].map((city) => call('get_weather', city)) }
  return { calls: [call('get_weather')] }
}

async function probed(wire: Wire, server: ProviderServerOptions, options: ProbeOptions = {}) {
  const provider = await providerServer(server)
  onTestFinished(() => provider.close())
  const connection = { wire, model: 'm', baseUrl: provider.url, apiKey: 'key-of-the-probe', retries: 0 }
  return { result: await probe(connection, options), provider, connection }
}

const supports = ({ findings }: Probe): Partial<Record<Feature, Support>> =>
  Object.fromEntries(findings.map(({ feature, support }) => [feature, support]))
const evidence = ({ findings }: Probe, feature: Feature): string =>
  findings.find((finding) => finding.feature === feature)?.evidence ?? ''

const everything = {
  tools: 'yes',
  callIds: 'yes',
  streaming: 'yes',
  toolChoiceAuto: 'yes',
  parallelToolCalls: 'yes',
  toolChoiceNone: 'yes',
  toolChoiceRequired: 'yes',
  toolChoiceNamed: 'yes',
  toolChoiceAllowed: 'yes',
  structuredOutput: 'yes',
  structuredOutputWithTools: 'yes',
  images: 'yes',
  reasoning: 'yes',
}
/** What the wire itself cannot say. */
const beyond: Partial<Record<Wire, Partial<Record<Feature, Support>>>> = {
  anthropic: { toolChoiceAllowed: 'no' },
  ollama: { toolChoiceAllowed: 'no', structuredOutputWithTools: 'no' },
}

describe.each(wires)('%s', (wire) => {
  test('a server that does all it is asked', async () => {
    const { result, provider } = await probed(wire, { script: obedient, strict: true })
    expect(supports(result)).toEqual({ ...everything, ...beyond[wire] })
    expect(result.calls).toBe(provider.requests.length)
    expect(result.calls).toBeLessThanOrEqual(13)
    for (const finding of result.findings) expect(finding.evidence).toMatch(/^\S.{3,}$/)
  })

  test('a server that refuses tools: what needs them is not asked', async () => {
    const refuse = (request: CompletionRequest) => (hasTools(request) ? { status: 400 } : {})
    const { result, provider } = await probed(wire, { script: obedient, misbehave: ({ request }) => refuse(request) })
    expect(result.capabilities).toMatchObject({ tools: 'no', parallelToolCalls: 'no', streaming: 'yes' })
    expect(evidence(result, 'tools')).toMatch(/^refused \(invalid_request\)/)
    expect(provider.requests.filter(({ request }) => hasTools(request))).toHaveLength(1)
  })

  test('a server that leaves tools and choices unheeded', async () => {
    const { result } = await probed(wire, { script: () => 'Hello!' })
    expect(result.capabilities).toMatchObject({ tools: 'no', toolChoiceRequired: 'no', toolChoiceNamed: 'no' })
    expect(supports(result)).toMatchObject({ callIds: 'unknown', structuredOutput: 'no', images: 'unknown' })
    expect(evidence(result, 'tools')).toContain('no call in 4 answers')
  })

  test('a server that refuses to stream', async () => {
    const { result } = await probed(wire, {
      script: obedient,
      misbehave: ({ stream }) => (stream ? { status: 400 } : {}),
    })
    expect(result.capabilities).toMatchObject({ streaming: 'no', tools: 'yes' })
    expect(evidence(result, 'streaming')).toMatch(/^refused/)
  })
})

test.each(['openai-responses', 'anthropic'] as const)(
  '%s: a server that answers whole instead is not sure to stream',
  async (wire) => {
    const response = responseOf({ text: 'one, two' }, 0, 'm')
    const env = { profile: profileOf(codecs[wire]), createdSeconds: 0, deltas: false }
    const { http } = codecs[wire].response.encode(response, { wire, model: 'm', stream: false }, env)
    const whole = { headers: { 'content-type': 'application/json' }, body: http.body }
    const { result } = await probed(wire, { script: obedient, misbehave: ({ stream }) => (stream ? whole : {}) })
    expect(result.capabilities).toMatchObject({ streaming: 'unknown', tools: 'yes' })
  },
)

test('a server that ignores "required" is found out, and its result makes a factory refuse it', async () => {
  const script = (request: CompletionRequest) =>
    obedient(request.toolChoice === 'required' ? { ...request, toolChoice: 'none' } : request)
  const { result, connection } = await probed('openai-chat', { script })
  expect(result.capabilities).toMatchObject({ tools: 'yes', toolChoiceRequired: 'no', toolChoiceNamed: 'yes' })
  const model = compatible({ ...connection, capabilities: result.capabilities })
  const request = { messages: [], tools: [{ name: 'now' }], toolChoice: 'required' } as const
  await expect(model.complete(request)).rejects.toMatchObject({ code: 'unsupported_feature' })
})

test('calls without ids are told', async () => {
  const calling = (name: string) => ({ function: { name, arguments: { city: 'Paris' } } })
  const message = { role: 'assistant', content: '', tool_calls: [calling('get_weather')] }
  const body = JSON.stringify({ model: 'm', message, done: true, done_reason: 'stop' })
  const misbehave = ({ request }: { request: CompletionRequest }) => (hasTools(request) ? { body } : {})
  const { result } = await probed('ollama', { script: obedient, misbehave })
  expect(supports(result)).toMatchObject({ tools: 'yes', callIds: 'no' })
})

test('what fails for another reason stays unknown', async () => {
  const overloaded = (request: CompletionRequest) => (request.output === undefined ? {} : { status: 529 })
  const { result } = await probed('anthropic', { script: obedient, misbehave: ({ request }) => overloaded(request) })
  expect(supports(result)).toMatchObject({ structuredOutput: 'unknown', structuredOutputWithTools: 'unknown' })
  expect(evidence(result, 'structuredOutput')).toMatch(/^not known \(/)
})

test('a question that is not answered in time stays unknown, and the probe goes on', async () => {
  const slow = (request: CompletionRequest) => (askedOf(request).includes('square') ? { delayMs: 60_000 } : {})
  const server = { script: obedient, misbehave: ({ request }: { request: CompletionRequest }) => slow(request) }
  const { result } = await probed('openai-chat', server, { questionTimeoutMs: 400 })
  expect(supports(result)).toMatchObject({ images: 'unknown', reasoning: 'yes' })
  expect(evidence(result, 'images')).toContain('(timeout)')
})

describe('a probe that cannot begin', () => {
  test('a wrong wire says what to check', async () => {
    const script = { misbehave: { status: 404 } }
    await expect(probed('openai-chat', script)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/no answer on this wire.*check the address, the wire and the model/),
    })
    await expect(probed('gemini', { misbehave: { body: '<html>' } })).rejects.toMatchObject({
      code: 'malformed_response',
    })
  })

  test('a refused key and an unreachable server are told as they are, without the key', async () => {
    await expect(probed('anthropic', { misbehave: { status: 401 } })).rejects.toMatchObject({ code: 'authentication' })
    const model = compatible({ wire: 'openai-chat', model: 'm', baseUrl: 'http://127.0.0.1:9', retries: 0 })
    await expect(probe(model)).rejects.toMatchObject({ code: 'network' })
  })

  test('an abort ends it', async () => {
    const controller = new AbortController()
    const onQuestion = (): void => controller.abort()
    const { signal } = controller
    await expect(probed('openai-chat', { script: obedient }, { signal, onQuestion })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})
