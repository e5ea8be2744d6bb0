// The one way from a style of writing to an adapter. A style says how outputs are asked for, written and read; tools, calls,
// demos, history and errors are the same for all.
import { textMessage } from '../conversation/conversation.js'
import type { Message } from '../conversation/messages.js'
import type { OutputSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { unknownCapabilities } from '../model/capabilities.js'
import type { Capabilities } from '../model/model.js'
import { issueText } from '../schema/issue.js'
import type { AnyTool } from '../tools/tool.js'
import { type Adapter, type FormatContext, modeOf, type Parsed, type Plan } from './adapter.js'
import { demoMessages, historyMessages, type Rendering, type WriteOutputs } from './conversation-text.js'
import { callsFieldOf, type Field, isToolField, type SignatureData } from './field.js'
import type { CallValue } from './infer.js'
import { checkInputs } from './inputs.js'
import { structuredCalls, toolsIn, writtenCalls } from './tool-fields.js'
import { checkField, readValue, takesNull } from './values.js'

/** What stood in an answer for a field: its text, or a value that was JSON already. */
export type Written = { readonly text: string } | { readonly value: unknown }

/** What a style makes a prompt of. `signature` holds only the fields that are in the prompt. */
export interface PromptParts {
  readonly signature: SignatureData
  readonly values: ReadonlyMap<string, unknown>
  /** Demos and history. */
  readonly before: readonly Message[]
}

export interface Style {
  readonly name: string
  rungs(capabilities: Capabilities, hasTools: boolean): readonly string[]
  messages(parts: PromptParts, rung: string): readonly Message[]
  /** The schema that goes with the request, if any. */
  output(signature: SignatureData, rung: string): OutputSpec | undefined
  readonly write: WriteOutputs
  /** What stands in an answer for each field. May throw `malformed_response`. */
  read(signature: SignatureData, text: string): ReadonlyMap<string, Written>
  readonly readFields?: Adapter['readFields']
}

export function adapterOf(style: Style): Adapter {
  return {
    name: style.name,
    format: (signature, inputs, context = {}) => planOf(style, signature, inputs, context),
    parse: (signature, response, plan) => parseAnswer(style, signature, response, plan?.mode ?? 'native'),
    ...(style.readFields === undefined ? {} : { readFields: style.readFields }),
  }
}

function planOf(style: Style, signature: SignatureData, given: object, context: FormatContext): Plan {
  const inputs = checkInputs(signature, given)
  const tools = toolsIn(signature, inputs)
  const mode = tools.length === 0 && context.toolMode !== 'prompted' ? 'native' : modeOf(context)
  const rendered = renderedFields(signature, mode)
  const isNative = mode === 'native' && tools.length > 0
  const rungs = style.rungs(context.capabilities ?? unknownCapabilities, isNative)
  const rung = rungs[Math.min(context.rung ?? 0, rungs.length - 1)] ?? style.name
  const rendering: Rendering = { mode, rendered, signature, write: style.write }
  const history = signature.inputs.find(({ type }) => type.kind === 'history')
  const before = [
    ...demoMessages(rendering, context.demos ?? []),
    ...historyMessages(rendering, history === undefined ? undefined : inputs.get(history.name)),
  ]
  const values = mode === 'native' ? inputs : withToolTexts(rendered, inputs, tools)
  const output = rendered.outputs.length === 0 ? undefined : style.output(rendered, rung)
  const names = new Set([...rendered.inputs, ...rendered.outputs].map(({ name }) => name))
  return {
    request: {
      messages: style.messages({ signature: rendered, values, before }, rung),
      ...(isNative ? { tools: tools.map((tool) => tool.spec) } : {}),
      ...(output === undefined ? {} : { output }),
    },
    mode,
    fieldsRemoved: [...signature.inputs, ...signature.outputs]
      .map(({ name }) => name)
      .filter((name) => !names.has(name)),
    rungs,
    tools,
  }
}

/** The signature as the prompt shows it: history is messages, and native tools and calls are part of the request. */
function renderedFields(signature: SignatureData, mode: Plan['mode']): SignatureData {
  const isShown = (field: Field): boolean => {
    if (field.type.kind === 'history') return false
    return mode === 'prompted' || (!isToolField(field) && field.type.kind !== 'tool_calls')
  }
  return { ...signature, inputs: signature.inputs.filter(isShown), outputs: signature.outputs.filter(isShown) }
}

/** The first tool field shows all tools; more fields would only repeat them. */
function withToolTexts(
  rendered: SignatureData,
  inputs: ReadonlyMap<string, unknown>,
  tools: readonly AnyTool[],
): ReadonlyMap<string, unknown> {
  const values = new Map(inputs)
  const [first, ...others] = rendered.inputs.filter(isToolField).filter(({ name }) => inputs.has(name))
  if (first === undefined) return values
  const list = tools.map(({ name, description, spec }) => ({ name, description, parameters: spec.inputSchema ?? {} }))
  values.set(first.name, list)
  for (const { name } of others) values.delete(name)
  return values
}

async function parseAnswer(
  style: Style,
  signature: SignatureData,
  response: CompletionResponse,
  mode: Plan['mode'],
): Promise<Parsed> {
  const callsField = callsFieldOf(signature)
  const plain: SignatureData = { ...signature, outputs: signature.outputs.filter((field) => field !== callsField) }
  if (callsField !== undefined) {
    const calls = readCalls(style, signature, callsField, response, mode)
    if (calls.length > 0) {
      const outputs = new Map(await readable(style, mode === 'prompted' ? signature : plain, response.text))
      return { kind: 'calls', calls, outputs: outputs.set(callsField.name, calls) }
    }
    if (!callsField.optional) throw missing([callsField], response)
  }
  if (plain.outputs.length === 0) return { kind: 'answer', outputs: new Map() }
  return { kind: 'answer', outputs: await strictly(style, plain, response) }
}

/** Calls the provider gave as such come first; text is looked at only when that is how they were asked for. */
function readCalls(
  style: Style,
  signature: SignatureData,
  field: Field,
  response: CompletionResponse,
  mode: Plan['mode'],
): readonly CallValue[] {
  const calls = structuredCalls(response, field)
  if (calls.length > 0 || mode === 'native') return calls
  const written = style.read(signature, response.text).get(field.name)
  if (written === undefined) return []
  const value = 'text' in written ? readValue(field.type, written.text) : written.value
  return typeof value === 'string' && value.trim() === '' ? [] : writtenCalls(field, value, response.id)
}

/** Beside calls: the fields that can be read, and no complaint about the others. */
async function readable(style: Style, signature: SignatureData, text: string): Promise<ReadonlyMap<string, unknown>> {
  const outputs = new Map<string, unknown>()
  let written: ReadonlyMap<string, Written>
  try {
    written = style.read(signature, text)
  } catch {
    return outputs
  }
  for (const field of signature.outputs) {
    const found = written.get(field.name)
    if (found === undefined || field.type.kind === 'tool_calls') continue
    const checked = await checkField(field, 'text' in found ? readValue(field.type, found.text) : found.value)
    if (checked.ok) outputs.set(field.name, checked.value)
  }
  return outputs
}

async function strictly(
  style: Style,
  signature: SignatureData,
  response: CompletionResponse,
): Promise<ReadonlyMap<string, unknown>> {
  if (response.finishReason === 'content_filter') {
    throw new ToolwireError('content_filtered', 'the answer was withheld by the provider; change the inputs')
  }
  const written = style.read(signature, response.text)
  const outputs = new Map<string, unknown>()
  const absent: Field[] = []
  const wrong: { readonly field: Field; readonly text: string }[] = []
  for (const field of signature.outputs) {
    const found = written.get(field.name)
    if (found === undefined || isAbsent(field, found)) {
      if (!field.optional) absent.push(field)
      continue
    }
    const checked = await checkField(field, 'text' in found ? readValue(field.type, found.text) : found.value)
    if (checked.ok) outputs.set(field.name, checked.value)
    else wrong.push({ field, text: issueText(checked.issues) })
  }
  if (absent.length > 0) throw missing(absent, response)
  const [first] = wrong
  if (first === undefined) return outputs
  const all = wrong.map(({ field, text }) => `"${field.name}" ${text}`).join('; ')
  throw new ToolwireError(
    'malformed_response',
    `the answer has outputs of the wrong kind: ${all}${cutNote(response)}`,
    {
      detail: { field: first.field.name, fields: wrong.map(({ field }) => field.name) },
      partial: response,
    },
  )
}

/** Models write null for a field they leave out. */
function isAbsent(field: Field, written: Written): boolean {
  return 'value' in written && written.value === null && field.optional && !takesNull(field.type)
}

function missing(fields: readonly Field[], response: CompletionResponse): ToolwireError {
  const names = fields.map(({ name }) => name)
  const message = `the answer lacks ${names.map((name) => `"${name}"`).join(', ')}${cutNote(response)}`
  return new ToolwireError('missing_required_output', message, {
    detail: { field: names[0] ?? '', fields: names },
    partial: response,
  })
}

function cutNote(response: CompletionResponse): string {
  return response.finishReason === 'length' ? '; it was cut at the token limit: raise maxTokens' : ''
}

/** The user message of a prompt; none when there is nothing to say behind a history. */
export function question(text: string, before: readonly Message[]): readonly Message[] {
  return text === '' && before.length > 0 ? [] : [textMessage('user', text)]
}
