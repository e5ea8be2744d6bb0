// Checks a request that a program passes to a model, before anything is encoded. Callers without types pass other shapes, and a
// codec that meets one throws something that explains nothing. Reads only: messages are neither copied nor frozen here.
import { checkToolChoice, checkTools } from './check-tools.js'
import { isFrozen } from './freeze.js'
import {
  eachItem,
  type Given,
  type Members,
  memberOf,
  readObject,
  readString,
  readStrings,
  refuseUnknown,
  wrongValue,
} from './given.js'
import { type OpaqueTool, requestFields, type ToolSpec } from './request.js'

/** Throws `invalid_request` with the path of the first member that is not what a request has there. */
export function checkRequest(request: unknown): void {
  const whole: Given = { value: request }
  const members = readObject(whole)
  checkMessages(members.messages)
  const { tools, toolChoice } = members
  if (tools !== undefined) checkTools(memberOf(whole, members, 'tools'))
  if (toolChoice !== undefined) {
    checkToolChoice(memberOf(whole, members, 'toolChoice'), tools as readonly (ToolSpec | OpaqueTool)[] | undefined)
  }
  checkSettings(whole, members)
  refuseUnknown(whole, members, requestFields, 'a request')
}

/** The same for messages alone. */
export function checkMessages(messages: unknown): void {
  eachItem({ value: messages, key: 'messages' }, 'an array of messages', checkMessage)
}

function checkSettings(request: Given, members: Members): void {
  for (const key of ['maxTokens', 'temperature', 'topP']) {
    const setting = memberOf(request, members, key)
    if (setting.value !== undefined && !Number.isFinite(setting.value)) throw wrongValue(setting, 'a number')
  }
  const { output, stop, reasoning, extra, parallelToolCalls } = members
  if (parallelToolCalls !== undefined && typeof parallelToolCalls !== 'boolean')
    throw wrongValue(memberOf(request, members, 'parallelToolCalls'), 'true or false')
  if (output !== undefined && output !== 'json_object') {
    const given = memberOf(request, members, 'output')
    readObject(
      memberOf(given, readObject(given, "'json_object' or an object with a schema"), 'schema'),
      'a JSON Schema object',
    )
  }
  if (stop !== undefined) readStrings(memberOf(request, members, 'stop'))
  if (reasoning !== undefined) readObject(memberOf(request, members, 'reasoning'))
  if (extra !== undefined) readObject(memberOf(request, members, 'extra'))
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'extra'])
const turnFields: ReadonlySet<string> = new Set(['role', 'content', 'origin', 'extra'])
const toolFields: ReadonlySet<string> = new Set(['role', 'results', 'extra'])
const resultFields: ReadonlySet<string> = new Set([
  'callId',
  'name',
  'content',
  'isError',
  'error',
  'artifacts',
  'extra',
])
const mediaTypes: readonly string[] = ['text', 'image', 'file', 'opaque']

function checkMessage(given: Given): void {
  if (typeof given.value === 'object' && given.value !== null && isFrozen(given.value)) return // it was read field by field
  const message = readObject(given, 'a message')
  const content = memberOf(given, message, 'content')
  switch (message.role) {
    case 'system':
      checkParts(content, ['text'])
      refuseUnknown(given, message, messageFields, 'a system message')
      break
    case 'user':
      checkParts(content, mediaTypes)
      refuseUnknown(given, message, messageFields, 'a user message')
      break
    case 'assistant':
      checkParts(content, ['text', 'reasoning', 'tool_call', 'broken_call', 'opaque'])
      refuseUnknown(given, message, turnFields, 'an assistant message')
      break
    case 'tool':
      eachItem(memberOf(given, message, 'results'), 'an array of tool results', checkResult)
      refuseUnknown(given, message, toolFields, 'a tool message')
      break
    default:
      throw wrongValue(memberOf(given, message, 'role'), "'system', 'user', 'assistant' or 'tool'")
  }
}

function checkResult(given: Given): void {
  const result = readObject(given, 'a tool result')
  readString(memberOf(given, result, 'callId'))
  readString(memberOf(given, result, 'name'))
  if (typeof result.isError !== 'boolean') throw wrongValue(memberOf(given, result, 'isError'), 'true or false')
  checkParts(memberOf(given, result, 'content'), mediaTypes)
  refuseUnknown(given, result, resultFields, 'a tool result')
}

interface PartShape {
  /** Members that must be strings. */
  readonly texts: readonly string[]
  readonly known: ReadonlySet<string>
}
const textShape: PartShape = { texts: ['text'], known: new Set(['type', 'text', 'opaque', 'extra']) }
const callFields = ['type', 'id', 'name', 'arguments', 'opaque', 'extra']
const partShapes: { readonly [type: string]: PartShape } = {
  text: textShape,
  reasoning: textShape,
  image: { texts: [], known: new Set(['type', 'url', 'mediaType', 'data', 'extra']) },
  file: { texts: [], known: new Set(['type', 'url', 'mediaType', 'data', 'name', 'extra']) },
  opaque: { texts: [], known: new Set(['type', 'origin', 'data']) },
  tool_call: { texts: ['id', 'name', 'arguments'], known: new Set([...callFields, 'recovered']) },
  broken_call: { texts: ['id', 'name', 'arguments', 'reason'], known: new Set([...callFields, 'reason']) },
}

function checkParts(content: Given, types: readonly string[]): void {
  const remedy = typeof content.value === 'string' ? "write [{ type: 'text', text }]" : undefined
  eachItem(content, 'an array of parts', (given) => checkPart(given, types), remedy)
}

function checkPart(given: Given, types: readonly string[]): void {
  const part = readObject(given, 'a part')
  const type = types.find((each) => each === part.type)
  const shape = type === undefined ? undefined : partShapes[type]
  if (shape === undefined)
    throw wrongValue(memberOf(given, part, 'type'), `one of ${types.map((each) => `'${each}'`).join(', ')}`)
  for (const key of shape.texts) readString(memberOf(given, part, key))
  if (type === 'opaque') {
    readObject(memberOf(given, part, 'origin'))
    readObject(memberOf(given, part, 'data'))
  }
  refuseUnknown(given, part, shape.known, `a part of type '${String(type)}'`)
}
