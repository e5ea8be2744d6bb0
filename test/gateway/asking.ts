// A request to a gateway on each wire, as plain HTTP.
import type { Wire } from '../../src/conversation/messages.js'
import type { Gateway } from '../../src/gateway/index.js'

export const secret = 'secret words of a client'

interface Asking {
  readonly key?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}
export const paths: Readonly<Record<Wire, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/any:generateContent',
}
const said = [{ role: 'user', content: secret }]
export const bodies: Readonly<Record<Wire, object>> = {
  'openai-chat': { model: 'any', messages: said },
  'openai-responses': { model: 'any', input: secret },
  anthropic: { model: 'any', max_tokens: 100, messages: said },
  ollama: { model: 'any', stream: false, messages: said },
  gemini: { contents: [{ role: 'user', parts: [{ text: secret }] }] },
}
export function ask(gateway: Gateway, wire: Wire, { key, body = {}, headers = {} }: Asking = {}): Promise<Response> {
  const isStream = 'stream' in body && body.stream === true
  const path = isStream ? paths[wire].replace(':generateContent', ':streamGenerateContent?alt=sse') : paths[wire]
  return gateway(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify({ ...bodies[wire], ...(wire === 'gemini' ? {} : body) }),
    }),
  )
}
export async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer
  await response.text()
  return response.status
}
