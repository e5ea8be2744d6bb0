// The offline engine: a stand-in for a model in demos and tests. A pure function of the request: no clock, no chance, no network.
import { fold } from '../conversation/fold.js'
import type { AssistantPart } from '../conversation/messages.js'
import { textOf } from '../conversation/messages.js'
import type { CompletionRequest, ToolSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { usageFrom } from '../conversation/usage.js'
import { shortHash } from '../json/digest.js'
import { displayJson } from '../json/display.js'
import { stringifyJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import { answerLines } from './answer.js'
import type { Seams } from './decision.js'
import { type Turn, turnOf } from './history.js'
import { parametersOf } from './parameters.js'
import { callKey, forcedCall, type Plan, type PlannedCall, plan } from './plan.js'
import { emptyOf, structuredAnswer } from './structured.js'

/** The first line of every answer in words. */
export const offlineFirstLine = '(offline engine: matches words to tools; not a language model)'

/** Replace either half with a model of your own; the rest stays. */
export type OfflineOptions = Seams
export type OfflineEngine = (request: CompletionRequest) => CompletionResponse

export function offlineEngine(options: OfflineOptions = {}): OfflineEngine {
  return (request) => {
    const turn = turnOf(request.messages)
    const decided = decide(request, turn, options)
    const id = shortHash(displayJson([request.model, request.messages, request.toolChoice, request.output]))
    if (decided.calls.length > 0) {
      const content = decided.calls.map(
        ({ name, args }, index): AssistantPart => ({
          type: 'tool_call',
          id: `call_${id}${index === 0 ? '' : `_${index + 1}`}`,
          name,
          arguments: stringifyJson(args),
        }),
      )
      return responseOf(request, `offline_${id}`, content)
    }
    const text = answerText(request, turn, decided)
    return responseOf(request, `offline_${id}`, [{ type: 'text', text }])
  }
}

/** What is to be called now: what the request asks for, without what has been called since. */
function decide(request: CompletionRequest, turn: Turn, options: OfflineOptions): Plan {
  const choice = request.toolChoice ?? 'auto'
  const tools = usableTools(request)
  if (choice === 'none' || tools.length === 0) return { calls: [] }
  const planned = plan(turn.request, tools, options, turn.previous)
  const done = new Set(turn.answered.map(callKey))
  const open = planned.calls.filter((call) => !done.has(callKey(call)))
  // Once there are results, a forced choice has been obeyed: forcing it again would only repeat the call.
  if (open.length > 0) return { calls: request.parallelToolCalls === false ? open.slice(0, 1) : open }
  if (turn.answered.length > 0 || !isForced(choice)) return { ...planned, calls: [] }
  const forced = planned.calls[0] ?? forcedCall(turn.request, tools, options)
  return { calls: forced === undefined ? [] : [withEverything(forced, tools)] }
}

function isForced(choice: NonNullable<CompletionRequest['toolChoice']>): boolean {
  if (typeof choice === 'string') return choice === 'required'
  return 'tool' in choice || choice.mode === 'required'
}

function usableTools({ tools = [], toolChoice = 'auto' }: CompletionRequest): readonly ToolSpec[] {
  const own = tools.filter((tool) => tool.type === undefined)
  if (typeof toolChoice === 'string') return own
  const allowed = 'tool' in toolChoice ? [toolChoice.tool] : toolChoice.allowed
  return own.filter(({ name }) => allowed.includes(name))
}

/** A forced call has its required arguments, empty ones where the request says nothing. */
function withEverything({ name, args }: PlannedCall, tools: readonly ToolSpec[]): PlannedCall {
  const tool = tools.find((each) => each.name === name)
  const parameters = tool === undefined ? [] : parametersOf(tool)
  const lacking = parameters.filter((each) => each.required && !Object.hasOwn(args, each.name))
  const added: JsonObject = Object.fromEntries(lacking.map((each) => [each.name, emptyOf(each)]))
  return { name, args: { ...args, ...added } }
}

function answerText(request: CompletionRequest, turn: Turn, { incomplete }: Plan): string {
  const { output } = request
  if (output === 'json_object') return stringifyJson({ answer: wordsOf(request, turn, incomplete) })
  if (output !== undefined) return structuredAnswer(output, turn.request, turn.answered)
  return wordsOf(request, turn, incomplete)
}

function wordsOf(request: CompletionRequest, turn: Turn, incomplete: Plan['incomplete']): string {
  if (turn.answered.length > 0) return [offlineFirstLine, ...answerLines(turn.request, turn.answered)].join('\n')
  const names = usableTools(request).map(({ name }) => name)
  const why =
    incomplete === undefined
      ? 'No tool here fits this request, and without one I have nothing to answer from.'
      : `The tool ${incomplete.name} fits, but the request does not say: ${incomplete.missing.join(', ')}.`
  const tools = names.length === 0 ? 'No tools were given.' : `Tools here: ${names.join(', ')}.`
  const model =
    'For a real answer use a language model: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama, and name it with --model.'
  return [offlineFirstLine, why, tools, model].join('\n')
}

function responseOf(request: CompletionRequest, id: string, content: readonly AssistantPart[]): CompletionResponse {
  const calls = content.some((part) => part.type === 'tool_call')
  const output = content.map((part) => (part.type === 'tool_call' ? `${part.name} ${part.arguments}` : textOf([part])))
  const usage = usageFrom({ inputWithCache: wordCount(inputTexts(request)), outputWithReasoning: wordCount(output) })
  const whole: CompletionResponse = {
    id,
    model: request.model,
    message: { role: 'assistant', content },
    finishReason: calls ? 'tool_calls' : 'stop',
    usage,
    losses: [],
    metadata: {},
    text: '',
    toolCalls: [],
    brokenCalls: [],
    requiresToolExecution: calls,
  }
  return fold(unfold(whole))
}

/** What a model would have to read. */
function inputTexts({ messages, tools = [] }: CompletionRequest): readonly string[] {
  const said = messages.flatMap((message) => {
    if (message.role === 'tool') return message.results.map(({ content }) => textOf(content))
    if (message.role !== 'assistant') return [textOf(message.content)]
    return message.content.map((part) =>
      part.type === 'tool_call' ? part.arguments : part.type === 'text' ? part.text : '',
    )
  })
  return [...said, ...tools.map((tool) => (tool.type === undefined ? `${tool.name} ${tool.description ?? ''}` : ''))]
}

function wordCount(texts: readonly string[]): number {
  let count = 0
  for (const text of texts) count += text.match(/\S+/g)?.length ?? 0
  return count
}
