// Any conversation, for properties: every part type, unmodelled fields, opaque values with origins, broken calls, failed results.
// Options narrow it to what a law is about (one wire, no empty text); the default is everything the types allow.
import fc from 'fast-check'
import type {
  AssistantMessage,
  AssistantPart,
  BrokenCall,
  BrokenReason,
  Extra,
  FilePart,
  ImagePart,
  Message,
  Opaque,
  OpaquePart,
  Origin,
  ReasoningPart,
  ResultPart,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolErrorCategory,
  ToolFailure,
  ToolMessage,
  ToolResult,
  UserMessage,
  UserPart,
  Wire,
} from '../../src/conversation/messages.js'
import { isCall, toolErrorCategories, wires } from '../../src/conversation/messages.js'
import type { Json, JsonObject } from '../../src/json/types.js'

export interface ConversationOptions {
  /** Wires that `extra` and origins may name. Default: all. */
  readonly wires?: readonly Wire[]
  /** Whether `extra` occurs. Default: yes. */
  readonly extra?: boolean
  /** Whether opaque parts and continuations occur. Default: yes. */
  readonly opaque?: boolean
  /** Whether images and files occur. Default: yes. */
  readonly media?: boolean
  /** Whether calls that must not run occur. Default: yes. */
  readonly brokenCalls?: boolean
  /** Whether text may be empty and content lists may have no part. Default: yes. */
  readonly empty?: boolean
  /** Names of the tools that are called. Default: legal, illegal and hostile ones. */
  readonly toolNames?: readonly string[]
}

/** Arbitraries of one set of options. `conversation` is well paired; `messages` is any sequence at all. */
export interface ConversationArbitraries {
  readonly extra: fc.Arbitrary<Extra>
  readonly opaque: fc.Arbitrary<Opaque>
  readonly text: fc.Arbitrary<TextPart>
  readonly image: fc.Arbitrary<ImagePart>
  readonly file: fc.Arbitrary<FilePart>
  readonly reasoning: fc.Arbitrary<ReasoningPart>
  readonly opaquePart: fc.Arbitrary<OpaquePart>
  readonly toolCall: fc.Arbitrary<ToolCall>
  readonly brokenCall: fc.Arbitrary<BrokenCall>
  readonly userPart: fc.Arbitrary<UserPart>
  readonly assistantPart: fc.Arbitrary<AssistantPart>
  readonly toolResult: fc.Arbitrary<ToolResult>
  readonly system: fc.Arbitrary<SystemMessage>
  readonly user: fc.Arbitrary<UserMessage>
  readonly assistant: fc.Arbitrary<AssistantMessage>
  readonly tool: fc.Arbitrary<ToolMessage>
  readonly message: fc.Arbitrary<Message>
  /** Any sequence: orphan results, unanswered calls, repeated ids. */
  readonly messages: fc.Arbitrary<readonly Message[]>
  /** System text, then turns; each call has its own id and one result, in call order, in the next message. */
  readonly conversation: fc.Arbitrary<readonly Message[]>
}

const hostileKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'type', 'role', 'a/b~c', '']
const hostileNames = [
  'get_weather',
  'search',
  'x.y',
  'a-b',
  'getX',
  '__proto__',
  'constructor',
  'naïve tool',
  'a'.repeat(80),
]
const brokenReasons: readonly BrokenReason[] = ['truncated', 'malformed', 'not_an_object', 'no_name']

/** Unicode without lone surrogates: ASCII, any code point, and graphemes such as emoji with joiners. */
export const unicodeText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('ERROR: no', 'Error: x', '{"a":1}', ' \n\t', '\u0000', '\u2028', '\ufeff', '👩‍👩‍👧 שלום', '"\\"'),
)

const jsonKey = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileKeys) },
)

/** Builds an object whose keys are all own properties, `__proto__` too. */
function objectOf(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(jsonKey, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
}

/** JSON as `JSON.parse` gives it, without -0 (which `JSON.stringify` does not keep). */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<Json>(null, true, false, 0, 1e21, 1.5e-7),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      unicodeText,
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    objectOf(tie('value')),
  ),
})).value
export const jsonObject: fc.Arbitrary<JsonObject> = objectOf(json)

/** Argument text of record: strict JSON of an object, with white space, escapes and integers beyond 2^53. */
export const argumentText: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(jsonObject, fc.constantFrom(undefined, 1, 2))
    .map(([value, indent]) => JSON.stringify(value, undefined, indent)),
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map((value) => `{"id": ${value} }`),
  fc.constantFrom('{}', '{ }', '{"city":"Boston"}', '{"city":"\\u00e9"}', '{"a":1,"a":2}', '{"n":1.0}', '{"n":-0}'),
)

/** Drops members that are undefined, so that what is generated is what JSON keeps. */
function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

function optional<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 3 })
}

type Loose<T> = { [K in keyof T]-?: T[K] | undefined }

/** A record whose undefined members are left out. */
function objectLike<T extends object>(members: { [K in keyof Loose<T>]: fc.Arbitrary<Loose<T>[K]> }): fc.Arbitrary<T> {
  return fc.record<Loose<T>>(members).map((value) => compact<T>(value as Loose<T>))
}

/** The values that the parts and messages of one set of options are made of. */
interface Leaves {
  readonly extra: fc.Arbitrary<Extra>
  readonly someExtra: fc.Arbitrary<Extra | undefined>
  readonly origin: fc.Arbitrary<Origin>
  readonly opaque: fc.Arbitrary<Opaque>
  readonly someOpaque: fc.Arbitrary<Opaque | undefined>
  readonly words: fc.Arbitrary<string>
  readonly id: fc.Arbitrary<string>
  readonly name: fc.Arbitrary<string>
  /** The fewest parts of a message. */
  readonly minLength: number
}

function leavesOf(options: ConversationOptions): Leaves {
  const wire = fc.constantFrom(...(options.wires ?? wires))
  const never = fc.constant(undefined)
  const extra = fc
    .array(fc.tuple(wire, jsonObject), { minLength: 1, maxLength: 2 })
    .map((entries): Extra => Object.fromEntries(entries))
  const origin = objectLike<Origin>({
    wire,
    provider: optional(fc.constantFrom('openai', 'deepseek', '')),
    model: optional(fc.constantFrom('m-1', 'm-2')),
  })
  const opaque = objectLike<Opaque>({ origin, data: jsonObject })
  return {
    extra,
    someExtra: options.extra === false ? never : fc.option(extra, { nil: undefined, freq: 4 }),
    origin,
    opaque,
    someOpaque: options.opaque === false ? never : fc.option(opaque, { nil: undefined, freq: 4 }),
    words: options.empty === false ? unicodeText.map((text) => (text === '' ? 'x' : text)) : unicodeText,
    id: fc.oneof(fc.constantFrom('call_1', 'call_2', 'toolu_01', ''), fc.string({ minLength: 1, maxLength: 12 })),
    name: fc.constantFrom(...(options.toolNames ?? hostileNames)),
    minLength: options.empty === false ? 1 : 0,
  }
}

type PartNames = 'text' | 'image' | 'file' | 'reasoning' | 'opaquePart' | 'toolCall' | 'brokenCall'
type PartArbitraries = Pick<ConversationArbitraries, PartNames>

function partsOf({ words, someOpaque, someExtra: extra, origin, id, name }: Leaves): PartArbitraries {
  const type = <T extends string>(value: T): fc.Arbitrary<T> => fc.constant(value)
  const inline = fc.record({
    mediaType: fc.constantFrom('image/png', 'application/pdf'),
    data: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  })
  const place = fc.oneof(inline, fc.record({ url: fc.webUrl() }))
  const image = fc.tuple(place, extra)
  const file = fc.tuple(place, optional(words), extra)
  return {
    text: objectLike<TextPart>({ type: type('text'), text: words, opaque: someOpaque, extra }),
    image: image.map(([where, more]) => compact<ImagePart>({ type: 'image', ...where, extra: more })),
    file: file.map(([where, label, more]) => compact<FilePart>({ type: 'file', ...where, name: label, extra: more })),
    reasoning: objectLike<ReasoningPart>({ type: type('reasoning'), text: words, opaque: someOpaque, extra }),
    opaquePart: objectLike<OpaquePart>({ type: type('opaque'), origin, data: jsonObject }),
    toolCall: objectLike<ToolCall>({
      type: type('tool_call'),
      id,
      name,
      arguments: argumentText,
      opaque: someOpaque,
      recovered: optional(fc.constant(true as const)),
      extra,
    }),
    brokenCall: objectLike<BrokenCall>({
      type: type('broken_call'),
      id,
      name: fc.oneof(name, fc.constant('')),
      arguments: fc.oneof(unicodeText, fc.constantFrom('{"city":"Par', '[1]', '{"a":01}')),
      reason: fc.constantFrom(...brokenReasons),
      opaque: someOpaque,
      extra,
    }),
  }
}

function resultsOf(
  { id, name, someExtra, minLength }: Leaves,
  part: fc.Arbitrary<ResultPart>,
): fc.Arbitrary<ToolResult> {
  const details = fc.array(fc.tuple(jsonKey, unicodeText), { maxLength: 2 })
  const failure = objectLike<ToolFailure>({
    category: fc.constantFrom<ToolErrorCategory>(...toolErrorCategories),
    message: unicodeText,
    details: optional(details.map((entries) => Object.fromEntries(entries))),
  })
  const outcome = fc.oneof(
    fc.constant({ isError: false, error: undefined }),
    failure.map((error) => ({ isError: true, error })),
    fc.constant({ isError: true, error: undefined }),
  )
  return fc
    .tuple(fc.array(part, { minLength, maxLength: 3 }), outcome, id, name, optional(jsonObject), someExtra)
    .map(([content, end, callId, tool, artifacts, extra]) =>
      compact<ToolResult>({ callId, name: tool, content, ...end, artifacts, extra }),
    )
}

export function conversationArbitraries(options: ConversationOptions = {}): ConversationArbitraries {
  const leaves = leavesOf(options)
  const { extra, opaque, someExtra, minLength } = leaves
  const parts = partsOf(leaves)
  const media = options.media === false ? [] : [parts.image, parts.file]
  const blocks = options.opaque === false ? [] : [parts.opaquePart]
  const broken = options.brokenCalls === false ? [] : [parts.brokenCall]
  const userPart = fc.oneof<fc.Arbitrary<UserPart>[]>(parts.text, ...media, ...blocks)
  const said = [parts.text, parts.reasoning, parts.toolCall]
  const assistantPart = fc.oneof<fc.Arbitrary<AssistantPart>[]>(...said, ...broken, ...blocks)
  const toolResult = resultsOf(leaves, userPart)
  const many = <T>(item: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
    fc.array(item, { minLength, maxLength })
  const plainText = parts.text.map(({ opaque: _, ...text }): TextPart => text)
  const system = objectLike<SystemMessage>({
    role: fc.constant('system'),
    content: many(plainText, 2),
    extra: someExtra,
  })
  const user = objectLike<UserMessage>({ role: fc.constant('user'), content: many(userPart, 3), extra: someExtra })
  const assistant = objectLike<AssistantMessage>({
    role: fc.constant('assistant'),
    content: many(assistantPart, 4),
    origin: optional(leaves.origin),
    extra: someExtra,
  })
  const tool = objectLike<ToolMessage>({ role: fc.constant('tool'), results: many(toolResult, 3), extra: someExtra })
  const message = fc.oneof<fc.Arbitrary<Message>[]>(system, user, assistant, tool)
  const messages = fc.array(message, { maxLength: 8 })
  const conversation = pairedOf(system, user, assistant, toolResult)
  const roles = { system, user, assistant, tool, message, messages, conversation }
  return { extra, opaque, ...parts, userPart, assistantPart, toolResult, ...roles }
}

function pairedOf(
  system: fc.Arbitrary<SystemMessage>,
  user: fc.Arbitrary<UserMessage>,
  assistant: fc.Arbitrary<AssistantMessage>,
  toolResult: fc.Arbitrary<ToolResult>,
): fc.Arbitrary<readonly Message[]> {
  const answer = fc.tuple(assistant, fc.array(toolResult, { minLength: 4, maxLength: 4 }))
  const turn = fc.tuple(user, fc.array(answer, { maxLength: 2 }))
  return fc.tuple(optional(system), fc.array(turn, { maxLength: 3 })).map(([first, turns]) => {
    const list: Message[] = first === undefined ? [] : [first]
    for (const [question, answers] of turns) {
      list.push(question)
      for (const [said, results] of answers) list.push(...answered(said, results, list.length))
    }
    return list
  })
}

/** The answer with ids of its own, and its results when it has calls. */
function answered(answer: AssistantMessage, results: readonly ToolResult[], position: number): readonly Message[] {
  const content = answer.content.map((part, index) =>
    isCall(part) ? { ...part, id: `call_${position}_${index}` } : part,
  )
  const calls = content.filter(isCall)
  const named = { ...answer, content }
  if (calls.length === 0) return [named]
  const paired = calls.flatMap((call, index) => {
    const result = results[index]
    return result === undefined ? [] : [{ ...result, callId: call.id, name: call.name }]
  })
  return [named, { role: 'tool', results: paired }]
}
