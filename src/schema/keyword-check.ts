// Whether a keyword holds what it should.
import { isJsonObject } from '../json/parse.js'
import type { Json } from '../json/types.js'
import { type Holder, isNameList, keywordValues, schemaTypes } from './keywords.js'
import type { SchemaRule } from './rules.js'

/** The rule that a keyword breaks which holds no schemas, and in what way. */
export function keywordProblem(keyword: string, value: Json): readonly [SchemaRule, string] | undefined {
  switch (keyword) {
    case 'type': {
      const wrong = wrongType(value)
      return wrong === undefined ? undefined : ['unknown_type', wrong]
    }
    case 'enum':
      if (Array.isArray(value) && value.length > 0) return undefined
      return ['enum_values', Array.isArray(value) ? 'the enum is empty' : `the enum is ${kindOf(value)}, not a list`]
    case 'required':
      return isNameList(value) ? undefined : ['required_list', `required is ${kindOf(value)}, not a list of names`]
    default: {
      const wanted = keywordValues.get(keyword)
      if (wanted === undefined || wanted.accepts(value)) return undefined
      return ['keyword_value', `${keyword} must be ${wanted.kind}`]
    }
  }
}

/** The same for one that holds schemas. */
export function holderProblem(keyword: string, holder: Holder, value: Json): readonly [SchemaRule, string] | undefined {
  if ((holder === 'map' || holder === 'dependents') && !isJsonObject(value)) {
    return ['properties_map', `${keyword} is ${kindOf(value)}, not a map of names to schemas`]
  }
  if (holder === 'list' && !(Array.isArray(value) && value.length > 0)) {
    return ['keyword_value', `${keyword} must be a list of at least one schema`]
  }
  return undefined
}

function wrongType(value: Json): string | undefined {
  if (isTypeName(value)) return undefined
  const names = Array.isArray(value) ? value : [value]
  if (names.length === 0) return 'the type is an empty list'
  const wrong = names.find((name) => !isTypeName(name))
  return wrong === undefined ? undefined : `the type ${JSON.stringify(wrong)} is not a JSON Schema type`
}

const typeNames: ReadonlySet<Json> = new Set(schemaTypes)

function isTypeName(value: Json): boolean {
  return typeNames.has(value)
}

export function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
