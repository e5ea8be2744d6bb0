// The path says which model is asked, and whether and how the answer is streamed.
import type { GeminiProfile } from './profiles.js'

/** Models may be named by a whole resource; anything else is the name of a model, slashes and all. */
const resource = /^(?:models|tunedModels|publishers|projects|endpoints)\//

export function modelPath(model: string, stream: boolean, profile: GeminiProfile): string {
  const name = model.toWellFormed()
  const version = profile.version ?? 'v1beta'
  const whole = resource.test(name)
    ? name.split('/').map(encodeURIComponent).join('/')
    : `${profile.collection ?? 'models'}/${encodeURIComponent(name)}`
  return `/${version}/${whole}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

export interface ReadPath {
  readonly model: string
  readonly stream: boolean
  /** How a streamed answer is framed: server-sent events, or one JSON array. */
  readonly alt: 'sse' | 'json'
}

/** Reads any host's path: a prefix, a version, a resource, a method. Without `alt=sse` a stream is one JSON array. */
export function readPath(path: string): ReadPath {
  const [route = '', query = ''] = path.split('?', 2)
  const colon = route.lastIndexOf(':')
  const stream = route.slice(colon + 1).startsWith('streamGenerateContent')
  const sse = query.split('&').some((pair) => /^(?:\$|%24)?alt=sse$/i.test(pair))
  return { model: modelIn(route), stream, alt: sse ? 'sse' : 'json' }
}

const versionName = /^v\d+(?:(?:alpha|beta)\d*)?$/

/** The model a path names: what follows the last `models/`, else the whole resource behind the version. */
export function modelIn(path: string): string {
  const [route = ''] = path.split('?', 1)
  const colon = route.lastIndexOf(':')
  const segments = route.slice(0, colon < 0 ? undefined : colon).split('/')
  const models = segments.lastIndexOf('models')
  const from = models < 0 ? segments.findIndex((segment) => versionName.test(segment)) : models
  if (from < 0) return ''
  return segments
    .slice(from + 1)
    .map(decoded)
    .join('/')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
