// The door `toolwire/langchain`: the only folder that knows LangChain.
export { fromLangChainMessages, type MessageLoss, toLangChainMessages } from './messages.js'
