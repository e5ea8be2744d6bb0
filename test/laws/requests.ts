// Any request: histories of test/arbitraries/conversation.ts with tools, choices and settings around them.
import fc from 'fast-check'
import type { Message, UserMessage, Wire } from '../../src/conversation/messages.js'
import { wires } from '../../src/conversation/messages.js'
import type {
  CompletionRequest,
  OpaqueTool,
  OutputSpec,
  ReasoningSpec,
  ToolChoice,
  ToolSpec,
} from '../../src/conversation/request.js'
import type { JsonObject } from '../../src/json/types.js'
import { type ConversationOptions, conversationArbitraries, unicodeText } from '../arbitraries/conversation.js'
import { realisticMessage } from './realistic.js'

export interface RequestOptions extends ConversationOptions {
  /** `paired` histories are well formed; `any` are any sequence at all. Default: both. */
  readonly histories?: 'paired' | 'any'
  /** Opaque values as providers make them, rather than any JSON. Default: no. */
  readonly realistic?: boolean
  /** Default: two that no profile knows anything of. */
  readonly models?: readonly string[]
}

const toolNames = [
  'get_weather',
  'search',
  'x.y',
  'a-b',
  'getX',
  '__proto__',
  'naïve tool',
  'a'.repeat(80),
  '9lives',
  '',
]
const legalNames = toolNames.filter((name) => name !== '')

const schemas: readonly JsonObject[] = [
  { type: 'object', properties: {} },
  { type: 'object', properties: { city: { type: 'string', description: 'Where' } }, required: ['city'] },
  { type: 'object', properties: { 'a b': { type: 'number' }, 'naïve/~': { type: 'string' } }, required: ['a b'] },
  { type: 'object', properties: { deep: { type: 'object', properties: { 'x y': { type: 'null' } } } } },
  { type: 'object', properties: { n: { type: ['integer', 'null'], enum: [1, null] } }, additionalProperties: false },
]

const hostedTools: Readonly<Record<Wire, JsonObject>> = {
  'openai-chat': { type: 'custom', custom: { name: 'run_sql' } },
  'openai-responses': { type: 'web_search' },
  anthropic: { type: 'web_search_20250305', name: 'web_search' },
  ollama: { type: 'browser', function: { name: 'browser' } },
  gemini: { googleSearch: {} },
}

function optional<T>(arbitrary: fc.Arbitrary<T>, freq = 3): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq })
}

/** Drops members that are undefined, so that what is generated is what JSON keeps. */
function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

const choice: fc.Arbitrary<ToolChoice> = fc.oneof(
  fc.constantFrom<ToolChoice>('auto', 'none', 'required'),
  fc.constantFrom(...legalNames).map((tool) => ({ tool })),
  fc.record({
    allowed: fc.array(fc.constantFrom(...legalNames), { maxLength: 3 }),
    mode: fc.constantFrom('auto' as const, 'required' as const),
  }),
)
const schemaOutput: fc.Arbitrary<OutputSpec> = fc
  .record({
    schema: fc.constantFrom(...schemas),
    name: optional(fc.constantFrom('answer', 'a.b c', 'n'.repeat(70))),
    description: optional(unicodeText),
    strict: optional(fc.boolean()),
  })
  .map((value) => compact<OutputSpec>(value))
const output: fc.Arbitrary<CompletionRequest['output']> = fc.oneof(
  { weight: 3, arbitrary: schemaOutput },
  { weight: 1, arbitrary: fc.constant('json_object' as const) },
)
const reasoning: fc.Arbitrary<ReasoningSpec> = fc
  .record({
    effort: optional(fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'), 2),
    budgetTokens: optional(fc.constantFrom(0, 512, 1024, 4096), 3),
  })
  .map((value) => compact<ReasoningSpec>(value))

const opening: UserMessage = { role: 'user', content: [{ type: 'text', text: 'hi' }] }

export function requests(options: RequestOptions = {}): fc.Arbitrary<CompletionRequest> {
  const { extra, conversation, messages } = conversationArbitraries({ toolNames: legalNames, ...options })
  const someExtra = options.extra === false ? fc.constant(undefined) : fc.option(extra, { nil: undefined, freq: 5 })
  const spec: fc.Arbitrary<ToolSpec> = fc
    .record({
      name: fc.constantFrom(...legalNames),
      description: optional(unicodeText),
      inputSchema: optional(fc.constantFrom(...schemas), 6),
      strict: optional(fc.boolean()),
      extra: someExtra,
    })
    .map((value) => compact<ToolSpec>(value as ToolSpec))
  const hosted: fc.Arbitrary<OpaqueTool> = fc
    .constantFrom(...(options.wires ?? wires))
    .map((wire) => ({ type: 'opaque', origin: { wire }, data: hostedTools[wire] }))
  const tool =
    options.opaque === false ? spec : fc.oneof({ weight: 6, arbitrary: spec }, { weight: 1, arbitrary: hosted })
  const histories = {
    paired: conversation.map((list): readonly Message[] => [...list, opening]),
    any: fc.oneof(
      messages.map((list): readonly Message[] => [opening, ...list]),
      messages,
    ),
  }
  const history =
    options.histories === undefined ? fc.oneof(histories.paired, histories.any) : histories[options.histories]
  return fc
    .record({
      model: fc.constantFrom(...(options.models ?? ['m-1', 'm-2'])),
      messages: options.realistic ? history.map((list) => list.map(realisticMessage)) : history,
      tools: optional(fc.array(tool, { maxLength: 4 }), 5),
      toolChoice: optional(choice),
      parallelToolCalls: optional(fc.boolean()),
      output: optional(output),
      maxTokens: optional(fc.constantFrom(16, 1024, 8192)),
      temperature: optional(fc.constantFrom(0, 0.5, 1)),
      topP: optional(fc.constantFrom(0.1, 1)),
      stop: optional(fc.array(fc.constantFrom('END', '\n\n', '###'), { maxLength: 3 })),
      reasoning: optional(reasoning),
      extra: someExtra,
    })
    .map((value) => compact<CompletionRequest>(value as CompletionRequest))
}
