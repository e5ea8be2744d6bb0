// The routes of a server that speaks the wires. The route declares the wire; nothing is guessed from a body.
import type { Wire } from '../conversation/messages.js'

export type Route =
  | { readonly kind: 'completion'; readonly wire: Wire }
  | { readonly kind: 'token_count'; readonly wire: 'anthropic' | 'gemini' }
  | { readonly kind: 'models'; readonly wire: Wire }
  | { readonly kind: 'model'; readonly wire: 'ollama' }
  /** One of the listed models, by its name. */
  | { readonly kind: 'listed_model'; readonly wire: 'openai-chat' | 'gemini'; readonly model: string }
  | { readonly kind: 'version'; readonly wire: 'ollama' }
  | { readonly kind: 'alive'; readonly wire: 'ollama' }
  | { readonly kind: 'unknown'; readonly wire: Wire; readonly wrongMethod: boolean }

type Method = 'GET' | 'POST'

/** By path; each has one method. */
const exact: ReadonlyMap<string, readonly [Method, Route]> = new Map<string, readonly [Method, Route]>([
  ['/v1/chat/completions', ['POST', { kind: 'completion', wire: 'openai-chat' }]],
  ['/v1/responses', ['POST', { kind: 'completion', wire: 'openai-responses' }]],
  ['/v1/messages', ['POST', { kind: 'completion', wire: 'anthropic' }]],
  ['/v1/messages/count_tokens', ['POST', { kind: 'token_count', wire: 'anthropic' }]],
  ['/v1/models', ['GET', { kind: 'models', wire: 'openai-chat' }]],
  ['/api/chat', ['POST', { kind: 'completion', wire: 'ollama' }]],
  ['/api/tags', ['GET', { kind: 'models', wire: 'ollama' }]],
  ['/api/show', ['POST', { kind: 'model', wire: 'ollama' }]],
  ['/api/version', ['GET', { kind: 'version', wire: 'ollama' }]],
  ['/', ['GET', { kind: 'alive', wire: 'ollama' }]],
])
/** Those whose path names a model, or a version that changes. */
const patterns: readonly (readonly [method: Method, path: RegExp, route: Route])[] = [
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
  const known = exact.get(path)
  if (known !== undefined) return known[0] === method ? known[1] : undefined
  const route = patterns.find(([own, pattern]) => own === method && pattern.test(path))?.[2]
  return route ?? (method === 'GET' ? listedModel(path) : undefined)
}

function listedModel(path: string): Route | undefined {
  const [, version = '', name = ''] = /^\/(v1(?:(?:alpha|beta)[0-9]*)?)\/models\/(.+)$/.exec(path) ?? []
  if (name === '' || name.includes(':')) return undefined
  try {
    return { kind: 'listed_model', wire: version === 'v1' ? 'openai-chat' : 'gemini', model: decodeURIComponent(name) }
  } catch {
    return undefined // no name that could be meant
  }
}

function nearestWire(path: string): Wire {
  if (path.startsWith('/api/') || path === '/') return 'ollama'
  if (path.startsWith('/v1/messages')) return 'anthropic'
  if (path.startsWith('/v1/responses')) return 'openai-responses'
  return /^\/v1(?:alpha|beta)|:/.test(path) ? 'gemini' : 'openai-chat'
}
