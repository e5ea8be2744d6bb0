// The first request of `react`: a signature whose only output is calls, and the tools with `submit` among them.
import { ToolwireError } from '../errors/error.js'
import { toolResult } from '../tools/results.js'
import type { AnyTool } from '../tools/tool.js'
import type { Demo, Plan } from './adapter.js'
import { callsFieldOf, type Field, isToolField, type SignatureData } from './field.js'
import type { HistoryTurn, HistoryValue } from './infer.js'
import { checkInputs, checkValues } from './inputs.js'
import { planBy, type Setup } from './module-call.js'
import { fieldLines, objectiveOf, paragraphs } from './prompt-text.js'
import type { ReactOptions } from './react-result.js'
import { submitName } from './submit.js'
import { fieldError, toolsIn } from './tool-fields.js'

export interface ReactPlan {
  readonly plan: Plan
  /** The signature that the plan was made of. */
  readonly inner: SignatureData
  readonly callsName: string
}

/** A signature for `react` has outputs of its own; calls are what the loop is for. */
export function checkReactSignature(signature: SignatureData): void {
  const calls = callsFieldOf(signature)
  if (calls === undefined) return
  throw new ToolwireError(
    'misuse',
    `react makes the calls itself; leave the output "${calls.name}" out, or use predict`,
  )
}

/** The tools of the inputs and of the options. Throws before anything is sent. */
export function reactTools(setup: Setup, options: ReactOptions): readonly AnyTool[] {
  const own = toolsIn(setup.signature, checkInputs(setup.signature, setup.inputs))
  const fields = [toolsField('tools'), toolsField('options.tools')]
  const given = new Map<string, unknown>([
    ['tools', own],
    ['options.tools', options.tools],
  ])
  const tools = toolsIn({ instruction: '', inputs: fields, outputs: [] }, given)
  if (!tools.some((tool) => tool.name === submitName)) return tools
  const field = setup.signature.inputs.find(isToolField) ?? toolsField('options.tools')
  throw fieldError(field, `holds a tool called "${submitName}", which is how react takes the outputs`, 'rename it')
}

export function planReact(setup: Setup, tools: readonly AnyTool[]): ReactPlan {
  const { signature, settings, demos } = setup
  const names = new Set([...signature.inputs, ...signature.outputs].map(({ name }) => name))
  const free = (name: string): string => (names.has(name) ? free(`${name}_`) : name)
  const [toolsName, callsName] = [free('tools'), free('tool_calls')]
  const history = signature.inputs.find(({ type }) => type.kind === 'history')
  const historyName = history?.name ?? free('history')
  const inner: SignatureData = {
    instruction: instructionOf(signature),
    inputs: [
      ...signature.inputs.filter((field) => !isToolField(field) && field !== history),
      plainField(historyName, { kind: 'history' }, true),
      toolsField(toolsName),
    ],
    outputs: [plainField(callsName, { kind: 'tool_calls' }, true)],
  }
  const toolNames = new Set(signature.inputs.filter(isToolField).map(({ name }) => name))
  const given = Object.entries(setup.inputs).filter(([name]) => name !== historyName && !toolNames.has(name))
  const earlier = history === undefined ? undefined : ownValue(setup.inputs, history.name)
  const turns = [...demos.map((demo, index) => demoTurn(setup, demo, index, callsName)), ...listOf(earlier)]
  const inputs = { ...Object.fromEntries(given), [historyName]: turns, [toolsName]: tools }
  const { capabilities } = settings.model
  const plan = planBy(settings.adapter, inner, inputs, { capabilities, toolMode: settings.toolMode })
  return { plan, inner, callsName }
}

function instructionOf(signature: SignatureData): string {
  return paragraphs(
    objectiveOf(signature),
    fieldLines(`The task is done when you call the tool \`${submitName}\` with these outputs:`, signature.outputs),
    `Call other tools first where they help, several at once where they do not depend on each other. Outputs count only in a call of \`${submitName}\`.`,
  )
}

/** An example as a turn in which the outputs were submitted. */
function demoTurn(setup: Setup, demo: Demo, index: number, callsName: string): HistoryTurn {
  const { inputs, outputs } = setup.signature
  const values = checkValues([...inputs, ...outputs], demo, 'a demo')
  const side = (fields: readonly Field[]): object =>
    Object.fromEntries(fields.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)]] : [])))
  const args = side(outputs)
  const call = { id: `demo_${index + 1}`, name: submitName, args }
  return {
    inputs: side(inputs.filter((field) => !isToolField(field) && field.type.kind !== 'history')),
    outputs: { [callsName]: [call] },
    results: [toolResult.success(call, 'The outputs were taken.')],
  }
}

function listOf(history: HistoryValue | undefined): readonly unknown[] {
  if (history === undefined) return []
  return Array.isArray(history) ? history : [history]
}

function ownValue(inputs: object, name: string): HistoryValue | undefined {
  return Object.hasOwn(inputs, name) ? (inputs as { readonly [key: string]: HistoryValue })[name] : undefined
}

function toolsField(name: string): Field {
  return plainField(name, { kind: 'tools' }, false)
}

function plainField(name: string, type: Field['type'], optional: boolean): Field {
  return { name, type, optional, internal: false }
}
