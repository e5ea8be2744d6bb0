// LangChain's own chat models, pointed at the provider server.
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'

export interface ChatModelCase {
  readonly name: string
  readonly open: (url: string) => BaseChatModel
}

export const chatOllama = (url: string): ChatOllama => new ChatOllama({ model: 'qwen3', baseUrl: url, maxRetries: 0 })
export const chatAnthropic = (url: string): ChatAnthropic =>
  new ChatAnthropic({ model: 'claude-sonnet-5-5', anthropicApiUrl: url, apiKey: 'k', maxRetries: 0 })
export const chatOpenAI = (url: string): ChatOpenAI =>
  new ChatOpenAI({ model: 'gpt-6', apiKey: 'k', maxRetries: 0, configuration: { baseURL: `${url}/v1` } })
export const chatOpenAIResponses = (url: string): ChatOpenAI =>
  new ChatOpenAI({
    model: 'gpt-6',
    apiKey: 'k',
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1` },
  })
export const chatGoogle = (url: string): ChatGoogleGenerativeAI =>
  new ChatGoogleGenerativeAI({ model: 'gemini-2.5-pro', apiKey: 'k', baseUrl: url, maxRetries: 0 })

export const chatModels: readonly ChatModelCase[] = [
  { name: 'ChatOllama', open: chatOllama },
  { name: 'ChatAnthropic', open: chatAnthropic },
  { name: 'ChatOpenAI', open: chatOpenAI },
  { name: 'ChatOpenAI on Responses', open: chatOpenAIResponses },
  { name: 'ChatGoogleGenerativeAI', open: chatGoogle },
]
