// The official Google SDK; its chat keeps the history by itself, thoughts and signatures included.
import {
  type FunctionCall,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { description, type Opening, type Question, type Result, schema, thought } from './conversation.js'

const declaration = { name: 'get_weather', description, parametersJsonSchema: schema }

export const gemini: Opening = (url, stream) => {
  const ai = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } })
  const chat = ai.chats.create({ model: 'gemini-3-pro' })
  let open: readonly FunctionCall[] = []
  return {
    async ask(said) {
      const message = 'text' in said ? questionParts(said) : said.results.map((result, at) => part(open[at], result))
      const params = { message, config: configOf('text' in said ? said.output : undefined) }
      const chunks: GenerateContentResponse[] = []
      if (stream) for await (const chunk of await chat.sendMessageStream(params)) chunks.push(chunk)
      else chunks.push(await chat.sendMessage(params))
      const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
      open = parts.flatMap((found) => (found.functionCall === undefined ? [] : [found.functionCall]))
      return {
        calls: open.map(({ id, name = '', args }) => ({ id, name, args })),
        text: parts.map((found) => (found.thought === true ? '' : (found.text ?? ''))).join(''),
        ...thought(parts.map((found) => (found.thought === true ? (found.text ?? '') : '')).join('')),
      }
    },
  }
}

function configOf(output: Question['output']): GenerateContentConfig {
  if (output === undefined) return { tools: [{ functionDeclarations: [declaration] }] }
  const schema = output === 'json_object' ? {} : { responseJsonSchema: output }
  return { responseMimeType: 'application/json', ...schema }
}

function questionParts({ text, image }: Question): Part[] {
  return [{ text }, ...(image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: image } }])]
}

function part({ id, name }: FunctionCall = {}, result: Result): Part {
  const known = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
  return { functionResponse: { ...known, response: typeof result === 'string' ? { output: result } : { ...result } } }
}
