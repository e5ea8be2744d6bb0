// The routes of a server that speaks the wires. The route declares the wire; nothing is guessed from a body.
import type { Wire } from '../conversation/messages.js'

export type Route =
  | { readonly kind: 'completion'; readonly wire: Wire }
  | { readonly kind: 'token_count'; readonly wire: 'anthropic' | 'gemini' }
  | { readonly kind: 'models'; readonly wire: Wire }
  | { readonly kind: 'model'; readonly wire: 'ollama' }
  | { readonly kind: 'version'; readonly wire: 'ollama' }
  | { readonly kind: 'alive'; readonly wire: 'ollama' }
  | { readonly kind: 'unknown'; readonly wire: Wire; readonly wrongMethod: boolean }

/** By method and path. */
const exact: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['POST /v1/chat/completions', { kind: 'completion', wire: 'openai-chat' }],
  ['POST /v1/responses', { kind: 'completion', wire: 'openai-responses' }],
  ['POST /v1/messages', { kind: 'completion', wire: 'anthropic' }],
  ['POST /v1/messages/count_tokens', { kind: 'token_count', wire: 'anthropic' }],
  ['GET /v1/models', { kind: 'models', wire: 'openai-chat' }],
  ['POST /api/chat', { kind: 'completion', wire: 'ollama' }],
  ['GET /api/tags', { kind: 'models', wire: 'ollama' }],
  ['POST /api/show', { kind: 'model', wire: 'ollama' }],
  ['GET /api/version', { kind: 'version', wire: 'ollama' }],
  ['GET /', { kind: 'alive', wire: 'ollama' }],
])
/** Those whose path names a model, or a version that changes. */
const patterns: readonly (readonly [method: 'GET' | 'POST', path: RegExp, route: Route])[] = [
  ['POST', /^\/v1[a-z0-9]*\/.+:(?:generateContent|streamGenerateContent)$/, { kind: 'completion', wire: 'gemini' }],
  ['POST', /^\/v1[a-z0-9]*\/.+:countTokens$/, { kind: 'token_count', wire: 'gemini' }],
  ['GET', /^\/v1(?:alpha|beta)[0-9]*\/models$/, { kind: 'models', wire: 'gemini' }],
]

/** The route of a request; `path` may have a query. What is not known is answered in the form of the nearest wire. */
export function routeOf(method: string, path: string): Route {
  const [plain = ''] = path.includes('?') ? path.split('?', 1) : [path]
  const known = knownRoute(method === 'HEAD' ? 'GET' : method, plain)
  if (known !== undefined) return known
  const wrongMethod = knownRoute('GET', plain) !== undefined || knownRoute('POST', plain) !== undefined
  return { kind: 'unknown', wire: nearestWire(plain), wrongMethod }
}

function knownRoute(method: string, path: string): Route | undefined {
  return exact.get(`${method} ${path}`) ?? patterns.find(([own, pattern]) => own === method && pattern.test(path))?.[2]
}

function nearestWire(path: string): Wire {
  if (path.startsWith('/api/') || path === '/') return 'ollama'
  if (path.startsWith('/v1/messages')) return 'anthropic'
  if (path.startsWith('/v1/responses')) return 'openai-responses'
  return /^\/v1(?:alpha|beta)|:/.test(path) ? 'gemini' : 'openai-chat'
}
