// What a foreign chat model is asked: the request sealed by the rules of its wire, its tools bound, and what it cannot be told
// reported. Settings such as the temperature belong to the chat model itself.
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { at, type Loss } from '../conversation/losses.js'
import type { CompletionRequest, ToolSpec } from '../conversation/request.js'
import { codecs, profileOf } from '../wire/index.js'
import type { Dialect } from './dialects.js'
import { sentMessages } from './sent-messages.js'

export interface Prepared {
  readonly sealed: CompletionRequest
  readonly messages: BaseMessage[]
  readonly losses: readonly Loss[]
}

/** The request as the chat model can be asked: sealed by the rules of its wire, and what it cannot be told reported. */
export function prepare(request: CompletionRequest, dialect: Dialect): Prepared {
  const codec = codecs[dialect.wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const { request: sealed, losses: repairs } = codec.seal(request, env)
  const sent = sentMessages(sealed.messages, dialect)
  return {
    sealed,
    messages: sent.messages,
    losses: [...repairs, ...toolLosses(sealed, dialect), ...settingLosses(sealed, dialect), ...sent.losses],
  }
}

/** LangChain's common form of a tool has a name, a description and a schema. */
function toolLosses({ tools = [] }: CompletionRequest, { wire }: Dialect): readonly Loss[] {
  return tools.flatMap((tool, index): readonly Loss[] => {
    const path = at('/tools', index)
    if (tool.type === 'opaque') {
      const message = 'a built-in tool of a provider is bound to the chat model itself'
      return [{ code: 'tool_dropped', wire, path, kind: 'dropped', message }]
    }
    if (tool.strict === undefined) return []
    const message = 'whether a tool is strict is a setting of the chat model'
    return [{ code: 'strict_dropped', wire, path: at(path, 'strict'), kind: 'dropped', message }]
  })
}

const ownSettings = ['maxTokens', 'temperature', 'topP', 'reasoning', 'parallelToolCalls', 'extra'] as const

function settingLosses(request: CompletionRequest, { wire, choice, stop }: Dialect): readonly Loss[] {
  const settings = stop ? ownSettings : ([...ownSettings, 'stop'] as const)
  const dropped = settings.filter((setting) => request[setting] !== undefined)
  const losses = dropped.map((setting): Loss => {
    const message = `${setting} is a setting of the chat model; set it there`
    return { code: 'setting_dropped', wire, path: `/${setting}`, kind: 'dropped', message }
  })
  const word = choiceWord(request)
  if (choice || word === undefined || word === 'none') return losses
  const message = 'this chat model cannot be made to call a tool; the choice was left to it'
  return [...losses, { code: 'tool_choice_widened', wire, path: '/toolChoice', kind: 'widened', to: 'auto', message }]
}

/** The chat model with the tools of the request. */
export function bound(
  chatModel: BaseChatModel,
  dialect: Dialect,
  request: CompletionRequest,
): Runnable<BaseLanguageModelInput, BaseMessage> {
  const { tools = [], toolChoice: choice } = request
  const specs = tools.filter((tool): tool is ToolSpec => tool.type !== 'opaque')
  const allowed =
    typeof choice === 'object' && 'allowed' in choice
      ? specs.filter((spec) => choice.allowed.includes(spec.name))
      : specs
  if (allowed.length === 0 || (choice === 'none' && !dialect.choice) || chatModel.bindTools === undefined)
    return chatModel
  const definitions = allowed.map(({ name, description = '', inputSchema = { type: 'object', properties: {} } }) => ({
    type: 'function',
    function: { name, description, parameters: structuredClone(inputSchema) },
  }))
  const word = choiceWord(request)
  return chatModel.bindTools(definitions, word === undefined || !dialect.choice ? {} : { tool_choice: word })
}

function choiceWord({ toolChoice: choice }: CompletionRequest): string | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (typeof choice === 'string') return choice === 'required' ? 'any' : choice
  if ('tool' in choice) return choice.tool
  return choice.mode === 'required' ? 'any' : undefined
}
