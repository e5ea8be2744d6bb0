// A tool's parameters as the engine sees them: type, allowed values, and a class guessed from name and description.
import type { ToolSpec } from '../conversation/request.js'
import { isJsonObject, isList } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { type Resolve, resolver } from '../schema/document.js'
import { checkSize } from '../schema/size.js'
import { upgradeSchema } from '../schema/upgrade.js'
import { contentStems, identifierWords, plainWords, stem } from './words.js'

export type ParameterType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'
export type ParameterClass =
  | 'email'
  | 'url'
  | 'path'
  | 'date'
  | 'time'
  | 'place'
  | 'language'
  | 'currency'
  | 'unit'
  | 'expression'
  | 'person'
  | 'message'
  | 'query'
  | 'title'
  | 'name'
  | 'id'
  | 'other'

export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  readonly class: ParameterClass
  readonly required: boolean
  readonly nullable: boolean
  readonly description: string
  /** The words of its name, and their stems. */
  readonly words: readonly string[]
  readonly stems: readonly string[]
  readonly descriptionStems: readonly string[]
  readonly choices?: readonly Json[]
  readonly fallback?: Json
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  /** Of an array. */
  readonly item?: Parameter
  /** Of an object. */
  readonly members?: readonly Parameter[]
}

const maxNesting = 5

/** First by name, then by description; the first that matches. */
const classes: readonly (readonly [ParameterClass, RegExp])[] = [
  ['email', /\be-?mails?\b/],
  ['url', /\burls?\b|\blink\b|\bwebsite\b|\buri\b/],
  ['path', /\bpaths?\b|\bfile ?names?\b|\bfiles?\b|\bfolder\b|\bdirectory\b/],
  ['place', /\btime ?zones?\b/],
  [
    'date',
    /\bdate ?times?\b|\btimestamp\b|\bdates?\b|\bday\b|\bbirthday\b|\bcheck ?(?:in|out)\b|\bdeadline\b|\bdue\b|\bdob\b/,
  ],
  ['time', /\btimes?\b|\bhour\b/],
  [
    'place',
    /\blocations?\b|\bcit(?:y|ies)\b|\bcountr(?:y|ies)\b|\bplaces?\b|\bstates?\b|\bregions?\b|\baddress\b|\borigin\b|\bdestinations?\b|\barea\b|\btown\b|\bdeparture\b|\barrival\b|\bvenue\b|\bstation\b|\bairport\b|\bzip\b|\bcounty\b|\bcontinent\b/,
  ],
  ['language', /\blanguages?\b|\blang\b/],
  ['currency', /\bcurrenc(?:y|ies)\b/],
  ['unit', /\bunits?\b/],
  ['expression', /\bexpressions?\b|\bformulas?\b|\bequations?\b/],
  ['query', /\bquery\b|\bkeywords?\b|\bquestion\b|\bprompt\b|\btopic\b|\bsearch\b/],
  [
    'message',
    /\btext\b|\bmessages?\b|\bcontent\b|\bbody\b|\bdescription\b|\bsentence\b|\bcomment\b|\bfeedback\b|\bnote\b|\breason\b/,
  ],
  [
    'title',
    /\bsubject\b|\btitle\b|\btask\b|\btodo\b|\breminder\b|\bitem\b|\blabel\b|\bsong\b|\btrack\b|\balbum\b|\bmovie\b|\bbook\b/,
  ],
  ['id', /\bids?\b|\bidentifier\b|\bcode\b|\bnumber\b|\bkey\b|\bsku\b|\bisbn\b|\btoken\b|\bticker\b|\bsymbol\b/],
  [
    'person',
    /\b(?:user|first|last|full|customer|person|artist|author|actor|director|player|patient|doctor|employee|host|guest|recipient|sender|contact|attendee)s?(?: ?names?)?\b|\bwho\b|\bby\b/,
  ],
  ['name', /\bnames?\b/],
]
/** A description mentions these in passing too often. */
const byNameOnly: ReadonlySet<ParameterClass> = new Set(['name', 'message', 'title', 'id', 'unit', 'time', 'person'])

/** The parameters of a tool, in the order of its schema. */
export function parametersOf(tool: ToolSpec): readonly Parameter[] {
  const schema = plainSchema(tool.inputSchema ?? {})
  return parameterOf('', schema, true, { resolve: resolver(schema), depth: 0 }).members ?? []
}

/** The schema with plain references, in the words of draft 2020-12. */
export function plainSchema(schema: JsonObject): JsonObject {
  return checkSize(schema) === undefined ? upgradeSchema(schema).schema : schema
}

interface Reading {
  readonly resolve: Resolve
  readonly depth: number
}

/** One schema as a parameter. References are followed; of alternatives the first that is not null is taken. */
export function parameterOf(name: string, given: Json, required: boolean, reading: Reading): Parameter {
  const { schema, nullable } = settle(given, reading)
  const deeper = { ...reading, depth: reading.depth + 1 }
  const type = typeOf(schema)
  const description = typeof schema.description === 'string' ? schema.description.slice(0, 400) : ''
  const words = identifierWords(name)
  const choices = schema.const === undefined ? schema.enum : [schema.const]
  const shallow = reading.depth < maxNesting
  return {
    name,
    type,
    class: classOf(words.join(' '), description),
    required,
    nullable,
    description,
    words,
    stems: words.map(stem),
    descriptionStems: contentStems(plainWords(description)),
    ...(isList(choices) && choices.length > 0 ? { choices } : {}),
    ...(schema.default === undefined || schema.default === null ? {} : { fallback: schema.default }),
    ...(typeof schema.format === 'string' ? { format: schema.format } : {}),
    ...(typeof schema.minimum === 'number' ? { minimum: schema.minimum } : {}),
    ...(typeof schema.maximum === 'number' ? { maximum: schema.maximum } : {}),
    ...(type === 'array' && shallow ? { item: parameterOf(name, schema.items ?? {}, true, deeper) } : {}),
    ...(type === 'object' && shallow ? { members: membersOf(schema, deeper) } : {}),
  }
}

export function readingOf(schema: JsonObject): Reading {
  return { resolve: resolver(schema), depth: 0 }
}

function membersOf(schema: JsonObject, reading: Reading): readonly Parameter[] {
  const required = new Set(isList(schema.required) ? schema.required : [])
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).map(([name, member]) => parameterOf(name, member, required.has(name), reading))
}

function settle(given: Json, reading: Reading): { schema: JsonObject; nullable: boolean } {
  let schema: JsonObject = isJsonObject(given) ? given : {}
  let nullable = false
  for (let step = 0; step < 8; step += 1) {
    const { $ref: reference, description } = schema
    const alternatives = schema.anyOf ?? schema.oneOf
    let next: Json | boolean | undefined
    if (typeof reference === 'string') next = reading.resolve(reference)
    else if (isList(alternatives) && schema.type === undefined) {
      nullable ||= alternatives.some(isNull)
      next = alternatives.find((alternative) => !isNull(alternative))
    } else if (isList(schema.allOf) && schema.type === undefined && schema.allOf.length === 1) next = schema.allOf[0]
    else break
    schema = { ...(isJsonObject(next) ? next : {}), ...(description === undefined ? {} : { description }) }
  }
  nullable ||= isList(schema.type) && schema.type.includes('null')
  return { schema, nullable }
}

function isNull(schema: Json): boolean {
  return isJsonObject(schema) && schema.type === 'null'
}

function typeOf(schema: JsonObject): ParameterType {
  const given = isList(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type
  switch (given) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'array':
    case 'object':
    case 'null':
      return given
    default:
      return impliedType(schema)
  }
}

function impliedType(schema: JsonObject): ParameterType {
  if (schema.properties !== undefined) return 'object'
  if (schema.items !== undefined) return 'array'
  const sample = schema.const ?? (isList(schema.enum) ? schema.enum[0] : undefined)
  return typeof sample === 'number' ? 'number' : typeof sample === 'boolean' ? 'boolean' : 'string'
}

function classOf(name: string, description: string): ParameterClass {
  const named = classes.find(([, pattern]) => pattern.test(name))
  if (named !== undefined) return named[0]
  const start = description.toLowerCase().slice(0, 80)
  return classes.find(([kind, pattern]) => !byNameOnly.has(kind) && pattern.test(start))?.[0] ?? 'other'
}
