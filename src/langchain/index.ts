// The door `toolwire/langchain`: the only folder that knows LangChain.
export type { ChatCallOptions, ChatSettings } from './call-options.js'
export { type ToLangChainOptions, type ToolwireChatModel, toLangChain } from './chat-model.js'
export { AnthropicClient, type ClientAnswer, type ClientOptions, LangChainClient, OllamaClient } from './client.js'
export { type FromLangChainOptions, fromLangChain } from './foreign-model.js'
export { fromLangChainMessages, type MessageLoss, toLangChainMessages } from './messages.js'
export { fromLangChainTool, type ToLangChainToolOptions, toLangChainTool } from './tools.js'
