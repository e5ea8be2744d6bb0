// Rules for requests that the gateway and a provider could read differently, where one of them checks what the other obeys: the
// model, whether the answer is streamed, and whether it reports its usage. A request that breaks a rule is rejected on every route.
import type { Wire } from '../conversation/messages.js'
import type { ToolwireError } from '../errors/error.js'
import { type Member, type ObjectText, readMembers, type Span } from '../json/members.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json } from '../json/types.js'
import { modelIn } from '../wire/gemini/paths.js'
import { invalidAt } from '../wire/request-body.js'
import { refused } from './failure.js'

/** Some servers ignore the case of a member's name, and fold letters such as `ſ`. */
const fold = (key: string): string => key.toLowerCase().toUpperCase().toLowerCase()

/** Members that let a provider choose another model than the one that was checked. */
const alternatives: ReadonlySet<string> = new Set(['models', 'route', 'fallbacks', 'preset'])
const read: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options', ...alternatives])
const maxMembers = 10_000

/** The members of a body; undefined for a body that is not a JSON object, which the codec rejects in its own words. */
export function checkedMembers(text: string): ObjectText | undefined {
  const object = readMembers(text, maxMembers)
  if (object === undefined) return undefined
  if (object.isCut) throw invalid(`the request body has more than ${maxMembers} members`)
  if (object.rest < text.length) throw invalid('the request body must be one JSON object, and more follows behind it')
  const seen = new Set<string>()
  for (const member of object.members) {
    checkName(member.key)
    if (seen.has(member.key)) throw invalid(`the request body has the member "${member.key}" twice; send it once`)
    seen.add(member.key)
    if (alternatives.has(member.key) && valueIn(text, member) !== null) throw alternative(member.key)
    if (member.key === 'providerOptions') checkProviderOptions(valueIn(text, member))
  }
  return object
}

function checkName(key: string): void {
  const folded = fold(key)
  if (folded !== key && read.has(folded)) throw invalid(`the member "${key}" is not accepted; write "${folded}"`)
}

/** Vercel's AI Gateway takes its fallback models here. */
function checkProviderOptions(options: Json | undefined): void {
  const gateway = isJsonObject(options) ? options.gateway : undefined
  if (isJsonObject(gateway) && (gateway.models ?? null) !== null) throw alternative('providerOptions.gateway.models')
}

function alternative(name: string): ToolwireError {
  return invalid(
    `"${name}" is not accepted: a request names one model in "model". Configure fallbacks in the routes of this gateway`,
  )
}

/** The value of a member; undefined when it is not there or not JSON. */
export function valueIn(text: string, member: Span | undefined): Json | undefined {
  if (member === undefined) return undefined
  try {
    return parseBody(text.slice(member.start, member.end))
  } catch {
    return undefined
  }
}

/** `stream` as the client's API means it: Ollama streams unless told otherwise. Null is the same as absence. */
export function streamIn(wire: Wire, text: string, member: Member | undefined): boolean {
  const value = member === undefined ? null : valueIn(text, member)
  if (value === null) return wire === 'ollama'
  if (typeof value !== 'boolean') throw invalidAt('/stream', 'true or false')
  return value
}

/** Whether the client of a Chat Completions stream wants the chunk with the usage. */
export function wantsUsage(text: string, member: Member | undefined): boolean {
  const options = member === undefined ? null : valueIn(text, member)
  if (options === null) return false
  if (member === undefined || !isJsonObject(options)) throw invalidAt('/stream_options', 'an object')
  const names = readMembers(text.slice(member.start, member.end), maxMembers)?.members ?? []
  if (new Set(names.map(({ key }) => fold(key))).size < names.length) {
    throw invalidAt('/stream_options', 'an object with each member once')
  }
  const wants = options.include_usage ?? null
  if (wants !== null && typeof wants !== 'boolean') throw invalidAt('/stream_options/include_usage', 'true or false')
  return wants === true
}

/** The body of a Gemini request may repeat the model of its path, not name another. */
export function checkGeminiModel(path: string, text: string, members: readonly Member[]): void {
  const inner = valueIn(text, memberOf(members, 'generateContentRequest'))
  const named = [valueIn(text, memberOf(members, 'model')), isJsonObject(inner) ? inner.model : undefined]
  const model = withoutCollection(modelIn(path))
  for (const other of named) {
    if ((other ?? null) === null || (typeof other === 'string' && withoutCollection(other) === model)) continue
    throw invalid(`the body names another model than the path, "${model}"; leave "model" out of the body`)
  }
}

function withoutCollection(name: string): string {
  return name.replace(/^models\//, '')
}

export function memberOf(members: readonly Member[], key: string): Member | undefined {
  return members.find((member) => member.key === key)
}

/** Query parameters that are forwarded to a provider of the client's API. */
const forwardedParameters: Readonly<Record<Wire, ReadonlySet<string>>> = {
  'openai-chat': new Set(['api-version']),
  'openai-responses': new Set(['api-version']),
  anthropic: new Set(['beta']),
  ollama: new Set(),
  gemini: new Set(['alt', '$alt']),
}
const modelParameters = /^(?:model|models|route|fallbacks?|preset|engine|deployment(?:_?id)?)$/
const alternatesOfGemini = /^(?:sse|json)(?:;enum-encoding=int)?$/i

/** Rejects a query that chooses another model, or a form of the answer that the gateway cannot read. */
export function checkQuery(wire: Wire, query: string): void {
  if (query === '') return
  let alternates = 0
  for (const [name, value] of new URLSearchParams(query)) {
    if (modelParameters.test(fold(name))) {
      throw invalid(`the query parameter "${name}" is not accepted: the request names its model`)
    }
    if (wire !== 'gemini' || !/^\$?alt$/i.test(name)) continue
    alternates += 1
    if (alternates > 1 || !alternatesOfGemini.test(value)) {
      throw invalid('the query parameter "alt" must be given once, as "sse" or "json"')
    }
  }
}

/** The query for a provider of the client's API, and the names of the parameters that are left out of it. Keys are not named. */
export function forwardedQuery(
  wire: Wire,
  query: string,
): { readonly query: string; readonly dropped: readonly string[] } {
  if (query === '') return { query, dropped: [] }
  const kept: string[] = []
  const dropped: string[] = []
  for (const pair of query.slice(1).split('&')) {
    const [name] = new URLSearchParams(pair).keys()
    if (name === undefined) continue
    if (forwardedParameters[wire].has(name)) kept.push(pair)
    else if (name.toLowerCase() !== 'key') dropped.push(name)
  }
  return { query: kept.length === 0 ? '' : `?${kept.join('&')}`, dropped }
}

function invalid(message: string): ToolwireError {
  return refused(400, 'invalid_request', message)
}
