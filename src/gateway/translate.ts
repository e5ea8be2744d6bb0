// A call across wires: the client's request is decoded, a model is asked, its events are written on the client's wire.
// The head of the answer waits for the first event, so that a failure before it has its own status.
import type { CompletionEvent } from '../conversation/events.js'
import type { Loss } from '../conversation/losses.js'
import type { OpaqueTool } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { type Batches, batchesOf } from '../model/batches.js'
import type { ModelRequest } from '../model/model.js'
import { takeFrom } from '../transport/told.js'
import type { StreamEncoder } from '../wire/codec.js'
import type { GatewayCall, Written } from './call.js'
import { withCustomTools } from './custom-tools.js'
import { ended, failureAmong, streamWatch } from './failed-answer.js'
import { providerFailure, refused } from './failure.js'
import { isHarmless } from './harmless-losses.js'
import { longBody, manyEvents, manyParts, pause } from './pause.js'
import { type Candidate, foreignTo } from './targets.js'
import { thinkingTokenEvents, withThinkingTokens } from './thinking-tokens.js'
import { charactersIn, estimateInput } from './token-estimate.js'

export async function translated(given: GatewayCall): Promise<Written> {
  const call = withCustomTools(given)
  for (const tool of call.request.tools ?? []) if (tool.type === 'opaque') checkBuiltIn(call, tool)
  const { model: _, ...request } = call.request // each model behind the name has its own
  if (call.strict) for (const candidate of call.chosen.candidates) refuseLosses(call, request, candidate)
  if ((call.http.body as string).length > longBody) await pause()
  return call.exchange.stream ? streamed(call, request) : whole(call, request)
}

/** A tool that a provider runs must be there with everybody who may answer. */
function checkBuiltIn({ exchange, chosen }: GatewayCall, { origin, data }: OpaqueTool): void {
  const other = foreignTo(origin.wire, chosen)
  if (other === undefined) return
  const message = `a tool of the provider itself (${String(data.type ?? Object.keys(data)[0])} of ${exchange.wire}) was asked for, and ${other.model.name} is another; leave it out, or route the model to a provider on that wire`
  throw refused(400, 'unsupported_feature', message)
}

/** Strict gateways reject what any provider that may answer would lose of the meaning, before anybody is asked. */
function refuseLosses(
  { exchange, decodingLosses }: GatewayCall,
  request: ModelRequest,
  { model, endpoint }: Candidate,
): void {
  const encoded = endpoint?.codec.request.encode(
    { ...request, model: request.model ?? endpoint.model },
    { stream: exchange.stream },
    endpoint.env,
  )
  const losses = [...decodingLosses, ...(encoded?.losses ?? [])].filter((loss) => !isHarmless(loss, request))
  if (losses.length === 0) return
  const what = [...new Set(losses.map(({ path, message }) => `${path} (${message})`))].join('; ')
  const message = `this gateway is strict, and on its way to ${model.name} the request would lose: ${what}`
  throw refused(400, 'unsupported_feature', message)
}

async function whole(call: GatewayCall, request: ModelRequest): Promise<Written> {
  const { codec, exchange, env, progress } = call
  meter(call)
  const answer = named(await call.chosen.model.complete(request, { signal: call.signal }), call)
  if (answer.message.content.length > manyParts) await pause()
  progress.usage = answer.usage
  progress.finishReason = answer.finishReason
  const response = ended(call, answer)
  const { http, losses, items } = codec.response.encode(withThinkingTokens(response, exchange.wire), exchange, env)
  call.keep(response, items)
  noteLosses(call, [...call.decodingLosses, ...response.losses, ...answerLosses(call, losses, response)])
  return http
}

/** From here on a provider may work for the key. */
function meter({ isMetered, progress, http }: GatewayCall): void {
  if (isMetered) progress.inputEstimate = estimateInput(http.body as string)
}

async function streamed(call: GatewayCall, request: ModelRequest): Promise<Written> {
  meter(call)
  const batches = batchesOf(call.chosen.model.stream(request, { signal: call.signal, deltas: true }))
  const losses = [...call.decodingLosses]
  let first = await batches.next()
  for (; first.done !== true && first.value.every(isLoss); first = await batches.next()) {
    for (const event of first.value) if (isLoss(event)) losses.push(event.loss)
  }
  noteLosses(call, losses)
  const failure = first.done === true ? undefined : failureAmong(call, first.value)
  if (failure !== undefined) {
    await batches.return(undefined as never)
    throw failure
  }
  const encoder = call.codec.stream.encode(call.exchange, call.env)
  return { status: 200, headers: encoder.headers, body: written(call, batches, first, encoder, losses) }
}

/** What a batch says, on the client's wire; a failure in the middle is said there, too. */
async function* written(
  call: GatewayCall,
  batches: Batches,
  first: Awaited<ReturnType<Batches['next']>>,
  encoder: StreamEncoder,
  losses: readonly Loss[],
): AsyncGenerator<string> {
  const watch = streamWatch(call)
  const tokens = thinkingTokenEvents(call.exchange.wire)
  try {
    let next = first
    for (; next.done !== true; next = await batches.next()) {
      let text = ''
      let count = 0
      for (const event of takeFrom(next)) {
        const told = watch(event)
        call.progress.outputCharacters += charactersIn(event)
        if (told.type === 'error') {
          if (text !== '') yield text
          throw told.error
        }
        for (const one of tokens.push(told)) text += encoder.push(one.type === 'start' ? named(one, call) : one)
        count += 1
        if (count % manyEvents > 0) continue
        if (text !== '') yield text
        text = ''
        await pause()
      }
      if (text !== '') yield text
    }
    const response = named(next.value, call)
    if (response.message.content.length > manyParts) await pause()
    const rest = encoder.end()
    noteLosses(call, [...losses, ...answerLosses(call, [...encoder.losses, ...tokens.losses], response)])
    call.keep(response, encoder.items)
    if (rest !== '') yield rest
  } catch (error) {
    const failure = providerFailure(error, call.signal)
    if (call.signal.aborted) throw failure
    call.progress.error = failure.code
    call.progress.message = failure.message
    yield encoder.push({ type: 'error', error: failure }) + encoder.end()
  } finally {
    await batches.return(undefined as never)
  }
}

function isLoss(event: CompletionEvent): event is Extract<CompletionEvent, { type: 'loss' }> {
  return event.type === 'loss'
}

/** An answer without a name gets that of the request. */
function named<T extends { readonly id: string }>(answer: T, { requestId }: GatewayCall): T {
  return answer.id === '' ? { ...answer, id: requestId } : answer
}

const signatureLosses: ReadonlySet<string> = new Set(['signature_changed', 'signature_dropped', 'opaque_dropped'])

/** What the client's API has no place for in an answer, without the signatures that the gateway keeps for it. */
function answerLosses(
  { keepsSignatures }: GatewayCall,
  losses: readonly Loss[],
  response: CompletionResponse,
): readonly Loss[] {
  return keepsSignatures(response) ? losses.filter(({ code }) => !signatureLosses.has(code)) : losses
}

/** What takes nothing away: a field that said what its wire means anyway, and how something was spelt. */
const meaningless = new Set(['default_dropped', 'note_changed', 'note_dropped'])

/** What every answer from another wire has: other words for its end, ids and numbers that only one of the wires has. */
const expected = new Set([
  'created_added',
  'finish_renamed',
  'id_dropped',
  'metadata_dropped',
  'usage_changed',
  'usage_dropped',
])

function noteLosses({ progress }: GatewayCall, losses: readonly Loss[]): void {
  const noted = losses.filter(({ code }) => !expected.has(code) && !meaningless.has(code))
  progress.losses = noted.map(({ code, path }) => (path === '' ? code : `${code} ${path}`))
}
