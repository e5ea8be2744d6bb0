// What each provider takes of JSON Schema, as data. The compiler in this folder asks these properties and knows no provider.

/** The dialects that providers accept. */
export const dialectNames = [
  'openai_strict',
  'openai_plain',
  'anthropic_strict',
  'anthropic_output',
  'anthropic_tools',
  'gemini_json_schema',
  'gemini_openapi',
  'ollama',
] as const
/** The name of a dialect of JSON Schema; `dialectNames` lists them. */
export type DialectName = (typeof dialectNames)[number]

export interface Dialect {
  /** The keywords that may be written, beside the structure the other lines describe; `all` leaves a schema as it is below its root. */
  readonly keywords: ReadonlySet<string> | 'all'
  /** `object`: the root must be a plain object, so that any other root is wrapped in one. */
  readonly root: 'object' | 'any'
  /** The formats of strings that are known; others are told in the description. Default: all. */
  readonly formats?: ReadonlySet<string>
  /** The largest `minItems`. Default: any. */
  readonly mostMinItems?: number
  /** The values an enum may hold. */
  readonly literals: 'any' | 'primitive' | 'string_number' | 'string'
  /** How a value may be of several types: as a `list` of them, or only of one and null. */
  readonly types: 'list' | 'nullable'
  /** Whether a schema may leave the type open. */
  readonly untyped: boolean
  /** Whether every property must be required; an optional one becomes nullable. */
  readonly allRequired: boolean
  /** What becomes of keys that are not declared: forbidden by `false`, `kept` as they are, or not mentioned. */
  readonly additional: 'false' | 'kept' | 'silent'
  /** Whether maps and tuples that cannot be said become lists and objects, mapped back in what comes in; else they are left open. */
  readonly mapped: boolean
  /** Which references may stay: all, those on no cycle, those on cycles through optional properties only, or none. */
  readonly references: 'all' | 'acyclic' | 'optional_cycles' | 'none'
  readonly limits?: SizeLimits
}

/** Beyond one of these a schema is refused as a whole; deeper levels than `levels` are written as JSON text. */
export interface SizeLimits {
  readonly properties?: number
  readonly levels?: number
  readonly enumValues?: number
  /** Characters of names and enum values. */
  readonly characters?: number
  readonly optional?: number
  readonly unions?: number
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** A dialect that takes any keyword: the schema is only a hint for the model there. */
const free: Omit<Dialect, 'root'> = {
  keywords: 'all',
  literals: 'any',
  types: 'list',
  untyped: true,
  allRequired: false,
  additional: 'kept',
  mapped: false,
  references: 'all',
}

const anthropicConstrained: Dialect = {
  keywords: words('$schema default const anyOf minItems format'),
  root: 'any',
  formats: words('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
  mostMinItems: 1,
  literals: 'primitive',
  types: 'nullable',
  untyped: false,
  allRequired: false,
  additional: 'false',
  mapped: true,
  references: 'acyclic',
  limits: { optional: 24, unions: 16 },
}

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  openai_strict: {
    keywords: words(
      '$schema default const anyOf minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format',
    ),
    root: 'object',
    formats: words('date-time time date duration email hostname ipv4 ipv6 uuid'),
    literals: 'primitive',
    types: 'list',
    untyped: false,
    allRequired: true,
    additional: 'false',
    mapped: true,
    references: 'all',
    limits: { properties: 5000, levels: 10, enumValues: 1000, characters: 120_000 },
  },
  openai_plain: { ...free, root: 'object' },
  anthropic_strict: { ...anthropicConstrained, root: 'object' },
  anthropic_output: anthropicConstrained,
  anthropic_tools: { ...free, root: 'object' },
  gemini_json_schema: {
    keywords: words('anyOf minItems maxItems minimum maximum format prefixItems propertyOrdering'),
    root: 'any',
    literals: 'string_number',
    types: 'list',
    untyped: true,
    allRequired: false,
    additional: 'kept',
    mapped: false,
    references: 'optional_cycles',
  },
  // In the spelling of JSON Schema; the codec writes the types in capitals and null as `nullable`.
  gemini_openapi: {
    keywords: words(
      'anyOf minItems maxItems minimum maximum minLength maxLength minProperties maxProperties pattern format',
    ),
    root: 'any',
    formats: words('date-time enum float double int32 int64'),
    literals: 'string',
    types: 'nullable',
    untyped: false,
    allRequired: false,
    additional: 'silent',
    mapped: true,
    references: 'none',
  },
  ollama: {
    keywords: words('anyOf'),
    root: 'any',
    literals: 'any',
    types: 'list',
    untyped: true,
    allRequired: false,
    additional: 'silent',
    mapped: false,
    references: 'none',
  },
}
