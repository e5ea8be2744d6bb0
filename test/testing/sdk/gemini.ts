// The official Google SDK; its chat keeps the history by itself, thoughts and signatures included.
import { type FunctionCall, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai'
import { description, type Opening, schema } from './conversation.js'

export const gemini: Opening = (url, stream) => {
  const declaration = { name: 'get_weather', description, parametersJsonSchema: schema }
  const chat = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }).chats.create({
    model: 'gemini-3-pro',
    config: { tools: [{ functionDeclarations: [declaration] }] },
  })
  let open: readonly FunctionCall[] = []
  return {
    async ask(said) {
      const message: Part[] =
        'text' in said
          ? [{ text: said.text }]
          : said.results.map((output, at) => {
              const { id, name } = open[at] ?? {}
              const known = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
              return { functionResponse: { ...known, response: { output } } }
            })
      const chunks: GenerateContentResponse[] = []
      if (stream) for await (const chunk of await chat.sendMessageStream({ message })) chunks.push(chunk)
      else chunks.push(await chat.sendMessage({ message }))
      const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
      open = parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.functionCall]))
      return {
        calls: open.map(({ id, name = '', args }) => ({ id, name, args })),
        text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
      }
    },
  }
}
