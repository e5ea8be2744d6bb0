// What modules use when they are not told otherwise. The one piece of global state; nothing happens when this file is loaded.
import { ToolwireError } from '../errors/error.js'
import type { Model } from '../model/model.js'
import { type Adapter, type TextAdapter, type ToolMode, toolModes } from './adapter.js'
import { chatAdapter } from './chat-adapter.js'
import { asAdapter } from './text-adapter.js'

/** What modules fall back on when they are given nothing else. */
export interface SignatureSettings {
  readonly model?: Model | undefined
  /** `chatAdapter` unless given. */
  readonly adapter?: Adapter | TextAdapter | undefined
  /** `auto`: native unless the model is known not to have tools. */
  readonly toolMode?: ToolMode | undefined
  /** How often an answer that cannot be used is asked for again, with the error; 2. */
  readonly maxOutputRetries?: number | undefined
}

let current: SignatureSettings = {}

/** Sets what every module uses from now on; a member that is `undefined` goes back to its default. */
export function configure(settings: SignatureSettings): void {
  if (settings.adapter !== undefined) asAdapter(settings.adapter)
  if (settings.model !== undefined) checkModel(settings.model)
  if (settings.toolMode !== undefined) checkToolMode(settings.toolMode)
  if (settings.maxOutputRetries !== undefined) checkRetries(settings.maxOutputRetries)
  current = { ...current, ...settings }
}

export interface Resolved {
  readonly model: Model
  readonly adapter: Adapter
  readonly toolMode: ToolMode
  readonly maxOutputRetries: number
}

/** The settings of one call: the first of the call's own, the module's and the global ones that is given. */
export function resolve(...layers: readonly SignatureSettings[]): Resolved {
  const all = [...layers, current]
  const pick = <K extends keyof SignatureSettings>(key: K): SignatureSettings[K] =>
    all.find((layer) => layer[key] !== undefined)?.[key]
  return {
    model: checkModel(pick('model')),
    adapter: asAdapter(pick('adapter') ?? chatAdapter),
    toolMode: checkToolMode(pick('toolMode') ?? 'auto'),
    maxOutputRetries: checkRetries(pick('maxOutputRetries') ?? 2),
  }
}

function checkModel(model: Model | undefined): Model {
  if (typeof model?.complete === 'function' && typeof model.stream === 'function') return model
  throw new ToolwireError('misuse', 'there is no model to ask; give one to the module, or call configure({ model })')
}

function checkToolMode(mode: ToolMode): ToolMode {
  if (toolModes.includes(mode)) return mode
  throw new ToolwireError('misuse', `toolMode is "${String(mode)}"; use 'auto', 'native' or 'prompted'`)
}

function checkRetries(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ToolwireError('misuse', `maxOutputRetries is ${String(value)}; give a whole number from 0 on`)
}
