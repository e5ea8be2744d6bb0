// The path says which model is asked, and whether and how the answer is streamed.
import { encodeSegment, invalidName } from '../url-segment.js'
import type { GeminiProfile } from './profiles.js'

/** A model may be named by a whole resource; anything else is the name of a model, slashes and all. */
const resource = /^(?:models|tunedModels|publishers|projects|endpoints)\//
/** The resources that name a model. */
const resourceForm =
  /^(?:projects\/[^/]+\/(?:locations\/[^/]+\/)?)?(?:publishers\/[^/]+\/)?(?:models|tunedModels|endpoints)\/[^/]+$/

export function modelPath(model: string, stream: boolean, profile: GeminiProfile): string {
  const version = profile.version ?? 'v1beta'
  return `/${version}/${resourceOf(model, profile.collection)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** The same version, method and query, for another model. */
export function renamedPath(path: string, model: string): string {
  const mark = path.indexOf('?')
  const colon = path.lastIndexOf(':', mark < 0 ? path.length : mark)
  return `${path.slice(0, path.indexOf('/', 1))}/${resourceOf(model)}${path.slice(colon)}`
}

/** Throws `invalid_request` for a name that would lead to another path. */
function resourceOf(model: string, collection = 'models'): string {
  if (!resource.test(model)) return `${collection}/${encodeSegment(model)}`
  if (!resourceForm.test(model)) throw invalidName(model)
  return model.split('/').map(encodeSegment).join('/')
}

export interface ReadPath {
  readonly model: string
  readonly stream: boolean
  /** How a streamed answer is framed: server-sent events, or one JSON array. */
  readonly alt: 'sse' | 'json'
}

/** Reads any host's path: a prefix, a version, a resource, a method. Without `alt=sse` a stream is one JSON array. */
export function readPath(path: string): ReadPath {
  const mark = path.indexOf('?')
  const route = mark < 0 ? path : path.slice(0, mark)
  const colon = route.lastIndexOf(':')
  const stream = route.startsWith('streamGenerateContent', colon + 1)
  const sse =
    mark >= 0 &&
    path
      .slice(mark + 1)
      .split('&')
      .some(isSse)
  return { model: modelIn(route), stream, alt: sse ? 'sse' : 'json' }
}

function isSse(pair: string): boolean {
  return /^(?:\$|%24)?alt=sse$/i.test(pair)
}

const versionName = /^v\d+(?:(?:alpha|beta)\d*)?$/
const collection = '/models/'

/** The model a path names: what follows the last `models/`, else the whole resource behind the version. */
export function modelIn(path: string): string {
  const mark = path.indexOf('?')
  const route = mark < 0 ? path : path.slice(0, mark)
  const colon = route.lastIndexOf(':')
  const resource = colon < 0 ? route : route.slice(0, colon)
  const models = resource.lastIndexOf(collection)
  const name = models < 0 ? '' : resource.slice(models + collection.length)
  return name === '' || name.includes('/') ? modelOf(resource.split('/')) : decoded(name)
}

function modelOf(segments: readonly string[]): string {
  const models = segments.lastIndexOf('models')
  const from = models < 0 ? segments.findIndex((segment) => versionName.test(segment)) : models
  if (from < 0) return ''
  return segments
    .slice(from + 1)
    .map(decoded)
    .join('/')
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
