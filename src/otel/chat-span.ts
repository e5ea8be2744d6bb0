// The span of one model call: what was asked of which model, and what came back.
import { type Attributes, type Context, type Span, SpanKind } from '@opentelemetry/api'
import type { CompletionResponse } from '../conversation/response.js'
import { inputTokens, outputTokens, type Usage } from '../conversation/usage.js'
import type { Json } from '../json/types.js'
import type { Model, ModelRequest } from '../model/model.js'
import { contentText, inputMessages, outputMessages } from './content.js'
import { present, type Tracing } from './tracing.js'

/** The conventions' own names for providers that are called otherwise here. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
  ['azure', 'azure.ai.openai'],
  ['mistral', 'mistral_ai'],
])

export function startChat(
  tracing: Tracing,
  model: Model,
  request: ModelRequest,
  stream: boolean,
  parent: Context,
): Span {
  const id = request.model ?? model.id
  const attributes = present({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerOf(model),
    'gen_ai.request.model': id,
    'gen_ai.conversation.id': tracing.conversationId,
    'gen_ai.output.type': request.output === undefined ? undefined : 'json',
    'gen_ai.request.stream': stream ? true : undefined,
    'gen_ai.request.max_tokens': request.maxTokens,
    'gen_ai.request.temperature': request.temperature,
    'gen_ai.request.top_p': request.topP,
    'gen_ai.request.stop_sequences': request.stop === undefined ? undefined : [...request.stop],
    ...(tracing.recordContent ? askedContent(request) : {}),
  })
  return tracing.tracer.startSpan(`chat ${id}`, { kind: SpanKind.CLIENT, attributes }, parent)
}

export function finishChat(tracing: Tracing, span: Span, response: CompletionResponse): void {
  const provider = response.message.origin?.provider
  const attributes = present({
    'gen_ai.provider.name': provider === undefined ? undefined : nameOf(provider),
    'gen_ai.response.id': response.id === '' ? undefined : response.id,
    'gen_ai.response.model': response.model === '' ? undefined : response.model,
    'gen_ai.response.finish_reasons': [response.finishReason],
    'gen_ai.output.messages': tracing.recordContent ? contentText(outputMessages(response)) : undefined,
  })
  span.setAttributes({ ...attributes, ...usageAttributes(response.usage ?? {}) })
}

export function usageAttributes(usage: Usage): Attributes {
  return present({
    'gen_ai.usage.input_tokens': inputTokens(usage),
    'gen_ai.usage.output_tokens': outputTokens(usage),
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
  })
}

/** The provider in a model's name (`anthropic:claude-…`); the whole name when it has none. */
export function providerOf(model: Pick<Model, 'name'>): string {
  const [provider = ''] = model.name.split(':', 1)
  return nameOf(provider)
}

function nameOf(provider: string): string {
  return providerNames.get(provider) ?? provider
}

function askedContent(request: ModelRequest): Attributes {
  const tools = request.tools?.map((tool): Json => (tool.type === 'opaque' ? { type: 'opaque' } : definitionOf(tool)))
  return present({
    'gen_ai.input.messages': contentText(inputMessages(request.messages)),
    'gen_ai.tool.definitions': tools === undefined ? undefined : contentText(tools),
  })
}

function definitionOf({
  name,
  description = '',
  inputSchema = {},
}: {
  name: string
  description?: string
  inputSchema?: Json
}): Json {
  return { type: 'function', name, description, parameters: inputSchema }
}
