// Vercel AI SDK: streamText with its tools, its provider for servers that speak Chat Completions.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, streamText, tool } from 'ai'

globalThis.AI_SDK_LOG_WARNINGS = false

export const name = 'Vercel AI SDK'
export const packages = ['ai', '@ai-sdk/openai-compatible']

/** Its limit is one for all tools: the shortest that a tool asks for. */
const timeLimitOf = (tools) => Math.min(...tools.flatMap(({ timeoutMs }) => timeoutMs ?? []))

export async function play({ url, tools, prompt }) {
  let failure
  const result = streamText({
    model: createOpenAICompatible({ name: 'lab', apiKey: 'k', baseURL: `${url}/v1` })('m'),
    tools: Object.fromEntries(
      tools.map(({ name, description, zod, execute }) => [
        name,
        tool({ description, inputSchema: zod, execute: async (input) => execute(input) }),
      ]),
    ),
    stopWhen: isStepCount(5),
    maxRetries: 0,
    timeout: { toolMs: timeLimitOf(tools) },
    prompt,
    onError: ({ error }) => {
      failure = error
    },
  })
  await result.consumeStream()
  if (failure !== undefined) throw failure
  return { text: await result.text, says: await result.finishReason }
}
