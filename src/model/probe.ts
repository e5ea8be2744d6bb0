// Finds out by real calls what a model can do. Every answer is evidence; what could not be asked stays unknown.
import type { CompletionResponse } from '../conversation/response.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { unknownCapabilities } from './capabilities.js'
import { type CompatibleOptions, compatible } from './factories.js'
import type { Capabilities, Model, ModelRequest } from './model.js'
import {
  type Answer,
  type Feature,
  greeting,
  namesIn,
  type Question,
  questions,
  type Verdict,
} from './probe-questions.js'

/** What was found out about one feature, with the evidence. */
export interface Finding extends Verdict {
  readonly feature: Feature
}
/** What a server can do, and by how many calls that was found out. */
export interface Probe {
  /** For the `capabilities` of a model factory. */
  readonly capabilities: Capabilities
  /** In the order of the features, each with one line of evidence. */
  readonly findings: readonly Finding[]
  /** How many calls were made. */
  readonly calls: number
}
/** How long probing may take, and who hears of each question. */
export interface ProbeOptions {
  readonly signal?: AbortSignal | undefined
  /** The whole probe; 180,000. What was not asked by then stays unknown. */
  readonly timeoutMs?: number | undefined
  /** One question; 30,000. */
  readonly questionTimeoutMs?: number | undefined
  /** Told before each question. */
  readonly onQuestion?:
    | ((progress: { readonly feature: Feature; readonly index: number; readonly total: number }) => void)
    | undefined
}

/** The server says that it will not; anything else that fails says nothing of what it can do. */
const refusals: readonly ErrorCode[] = ['invalid_request', 'unsupported_feature', 'not_found', 'permission']
/** A stream that is none. */
const brokenStreams: readonly ErrorCode[] = ['truncated', 'malformed_response']
const wrongPlace: readonly ErrorCode[] = ['not_found', 'malformed_response', 'truncated', 'invalid_request']

/**
 * Asks a dozen small questions, one after the other, and says what the answers show. Given where a server is, as `compatible`
 * takes it, everything is asked; given a model, what its own record says is missing is not. A model that does not answer at all
 * is thrown as the error it gave.
 */
export async function probe(target: Model | CompatibleOptions, options: ProbeOptions = {}): Promise<Probe> {
  const model = 'complete' in target ? target : compatible({ ...target, capabilities: unknownCapabilities })
  const asker = createAsker(model, options)
  await greet(asker, model)
  const verdicts = new Map<Feature, Verdict>()
  const answers = new Map<Feature, CompletionResponse>()
  for (const [index, question] of questions.entries()) {
    options.onQuestion?.({ feature: question.feature, index, total: questions.length })
    const refused = verdicts.get('toolChoiceAuto')
    const isRefused = question.needsTools === true && refused?.support === 'no'
    verdicts.set(question.feature, isRefused ? refused : await verdictOf(asker, question, answers))
  }
  verdicts.set('tools', toolsVerdict(verdicts, answers))
  verdicts.set('callIds', idsVerdict([...answers.values()]))
  const findings = order.map((feature): Finding => ({ feature, ...(verdicts.get(feature) ?? unasked) }))
  return { capabilities: capabilitiesOf(verdicts), findings, calls: asker.calls }
}

/** The questions that should bring forth a call. */
const callBringers: readonly Feature[] = [
  'toolChoiceAuto',
  'parallelToolCalls',
  'toolChoiceRequired',
  'toolChoiceNamed',
]
const unasked: Verdict = { support: 'unknown', evidence: 'not asked' }
const order: readonly Feature[] = ['tools', 'callIds', ...questions.map((question) => question.feature)]

interface Asker {
  ask(request: ModelRequest, stream: boolean): Promise<Answer>
  readonly calls: number
}

function createAsker(model: Model, options: ProbeOptions): Asker {
  const { signal, timeoutMs = 180_000, questionTimeoutMs = 30_000 } = options
  const whole = AbortSignal.timeout(timeoutMs)
  let calls = 0
  return {
    get calls() {
      return calls
    },
    async ask(request, stream) {
      if (whole.aborted) throw new ToolwireError('timeout', 'the time of the probe was over')
      const question = AbortSignal.timeout(questionTimeoutMs)
      const signals = [whole, question, ...(signal === undefined ? [] : [signal])]
      calls += 1
      try {
        return await answerOf(model, request, stream, AbortSignal.any(signals))
      } catch (error) {
        if (signal?.aborted === true) throw new ToolwireError('aborted', 'the probe was aborted', { cause: error })
        if (!question.aborted && !whole.aborted) throw error
        throw new ToolwireError('timeout', `no whole answer within ${questionTimeoutMs} ms`, { cause: error })
      }
    },
  }
}

async function answerOf(model: Model, request: ModelRequest, stream: boolean, signal: AbortSignal): Promise<Answer> {
  if (!stream) return { response: await model.complete(request, { signal }), pieces: 0 }
  const answer = model.stream(request, { signal })
  let pieces = 0
  for await (const event of answer) if (event.type === 'text_delta') pieces += 1
  return { response: await answer, pieces }
}

/** A server that answers nothing can do nothing that is worth a table. */
async function greet(asker: Asker, model: Model): Promise<void> {
  try {
    await asker.ask(greeting, false)
  } catch (error) {
    if (!ToolwireError.is(error) || !wrongPlace.includes(error.code)) throw error
    const message = `${model.name} gives no answer on this wire: ${error.message}; check the address, the wire and the model`
    throw new ToolwireError(error.code, message, { status: error.status, retryable: false, cause: error })
  }
}

async function verdictOf(
  asker: Asker,
  question: Question,
  answers: Map<Feature, CompletionResponse>,
): Promise<Verdict> {
  const { stream = false, path } = question
  try {
    const answer = await asker.ask(question.request, stream)
    answers.set(question.feature, answer.response)
    const unsaid = answer.response.losses.find(
      (loss) => loss.path === path && (loss.kind === 'dropped' || loss.kind === 'widened'),
    )
    return unsaid === undefined
      ? question.judge(answer)
      : { support: 'no', evidence: `not sent: ${oneLine(unsaid.message)}` }
  } catch (error) {
    if (!ToolwireError.is(error) || error.code === 'aborted') throw error
    const isNo = refusals.includes(error.code) || (stream && brokenStreams.includes(error.code))
    const evidence = `${isNo ? 'refused' : 'not known'} (${error.code}): ${oneLine(error.message)}`
    return { support: isNo ? 'no' : 'unknown', evidence }
  }
}

/** One call shows that there are tools; that nothing brings one forth shows that there are none. */
function toolsVerdict(
  verdicts: ReadonlyMap<Feature, Verdict>,
  answers: ReadonlyMap<Feature, CompletionResponse>,
): Verdict {
  const auto = verdicts.get('toolChoiceAuto') ?? unasked
  if (auto.support !== 'unknown') return auto
  const tried = callBringers.flatMap((feature) => answers.get(feature) ?? [])
  const calling = tried.find((response) => namesIn(response).length > 0)
  if (calling !== undefined) return { support: 'yes', evidence: `it called ${namesIn(calling).join(', ')}` }
  if (tried.length < callBringers.length) return auto
  return { support: 'no', evidence: `it made no call in ${tried.length} answers to requests for one` }
}

function idsVerdict(answers: readonly CompletionResponse[]): Verdict {
  const calling = answers.filter((response) => namesIn(response).length > 0)
  const codes = new Set(calling.flatMap(({ losses }) => losses.map((loss) => loss.code)))
  if (codes.has('call_id_missing')) return { support: 'no', evidence: 'calls come without ids; toolwire makes them' }
  if (codes.has('call_id_repeated'))
    return { support: 'no', evidence: 'one id came on several calls; toolwire changes it' }
  const id = calling[0]?.toolCalls[0]?.id
  if (id === undefined) return { support: 'unknown', evidence: 'no call was seen' }
  return { support: 'yes', evidence: `calls come with ids such as ${id.slice(0, 40)}` }
}

function capabilitiesOf(verdicts: ReadonlyMap<Feature, Verdict>): Capabilities {
  const names = Object.keys(unknownCapabilities) as Exclude<keyof Capabilities, 'outputSchema'>[]
  const entries = names.map((name) => [name, verdicts.get(name)?.support ?? 'unknown'] as const)
  return { ...unknownCapabilities, ...Object.fromEntries(entries) }
}

function oneLine(text: string): string {
  const line = text.slice(0, 400).replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
