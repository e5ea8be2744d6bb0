// ax: a signature with functions, forwarded with streaming.
import { AxAIOpenAI, ax } from '@ax-llm/ax'

export const name = 'ax'
export const packages = ['@ax-llm/ax']
/** How its prompt asks the model to answer. */
export const answer = 'Answer: done'
/** What the library has no option for. */
export const lacks = { 27: 'no option' }

export async function play({ url, tools, prompt }) {
  const llm = new AxAIOpenAI({
    apiKey: 'k',
    apiURL: `${url}/v1`,
    config: { model: 'm', stream: true },
    options: { retry: { maxRetries: 0 } },
  })
  const adder = ax('question:string -> answer:string', {
    functions: tools.map(({ name, description, jsonSchema, execute }) => ({
      name,
      description,
      parameters: jsonSchema,
      func: async (input) => execute(input),
    })),
  })
  const { answer: text } = await adder.forward(llm, { question: prompt }, { maxSteps: 5, stream: true })
  return { text }
}
