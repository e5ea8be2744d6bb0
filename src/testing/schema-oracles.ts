// What each provider takes of JSON Schema, written down from the provider's side: the judge of the strict server and of the schema
// compiler, which it shares no code and no table with. Each oracle lists what is wrong with a schema.
import type { DialectName } from '../schema/restrict/dialects.js'

type Node = { readonly [key: string]: unknown }
type Report = (path: string, message: string) => void
type Oracle = (schema: unknown) => readonly string[]

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Rules {
  readonly keywords: string
  node(node: Node, path: string, report: Report, root: Node): void
  whole?(root: Node, nodes: readonly Node[], report: Report): void
}

function oracle(rules: Rules): Oracle {
  const allowed = new Set(rules.keywords.split(' '))
  return (schema) => {
    const problems: string[] = []
    const report: Report = (path, message) => problems.push(`${path}: ${message}`)
    if (!isNode(schema)) return ['the root is no object']
    const nodes: Node[] = []
    const walk = (node: unknown, path: string): void => {
      if (!isNode(node)) {
        report(path, 'is no schema object')
        return
      }
      nodes.push(node)
      for (const keyword of Object.keys(node)) if (!allowed.has(keyword)) report(path, `has ${keyword}`)
      rules.node(node, path, report, schema)
      for (const key of ['properties', '$defs', 'definitions']) {
        const map = node[key]
        if (isNode(map)) for (const [name, inner] of Object.entries(map)) walk(inner, `${path}/${key}/${name}`)
        else if (map !== undefined) report(path, `${key} is no map`)
      }
      for (const key of ['anyOf', 'prefixItems']) {
        const list = node[key]
        if (Array.isArray(list)) for (const [index, inner] of list.entries()) walk(inner, `${path}/${key}/${index}`)
        else if (list !== undefined) report(path, `${key} is no list`)
      }
      if (node.items !== undefined) walk(node.items, `${path}/items`)
      if (isNode(node.additionalProperties)) walk(node.additionalProperties, `${path}/additionalProperties`)
    }
    walk(schema, '')
    rules.whole?.(schema, nodes, report)
    return problems
  }
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'])

function typesOf(node: Node): readonly unknown[] {
  return node.type === undefined ? [] : Array.isArray(node.type) ? node.type : [node.type]
}

function checkTypes(node: Node, path: string, report: Report): void {
  for (const type of typesOf(node)) if (!typeNames.has(String(type))) report(path, `type ${String(type)}`)
  if (Array.isArray(node.type) && new Set(node.type).size !== node.type.length) report(path, 'a type twice')
  if (node.enum !== undefined && !(Array.isArray(node.enum) && node.enum.length > 0)) report(path, 'an empty enum')
  const required = node.required
  const names = isNode(node.properties) ? Object.keys(node.properties) : []
  if (required === undefined) return
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    report(path, 'required is no list')
  else if (required.some((name) => !names.includes(name))) report(path, 'requires what it does not declare')
}

function checkPrimitives(node: Node, path: string, report: Report): void {
  const values = Array.isArray(node.enum) ? node.enum : node.const === undefined ? [] : [node.const]
  if (values.some((value) => typeof value === 'object' && value !== null))
    report(path, 'lists a value that is no primitive')
}

function checkClosed(node: Node, path: string, report: Report): void {
  if (!typesOf(node).includes('object')) return
  if (node.additionalProperties !== false) report(path, 'additionalProperties is not false')
  if (!isNode(node.properties)) report(path, 'an object without properties')
}

/** A reference must name a definition of the document's own, and stand alone. */
function checkReference(node: Node, path: string, report: Report, root: Node): void {
  if (node.$ref === undefined) return
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(node.$ref)) ?? []
  const definitions = root[holder]
  if (!isNode(definitions) || !Object.hasOwn(definitions, name)) report(path, `refers to ${String(node.$ref)}`)
  if (Object.keys(node).length > 1) report(path, 'says something beside a reference')
}

function isSaid(node: Node): boolean {
  return ['type', 'enum', 'const', 'anyOf', '$ref'].some((key) => node[key] !== undefined)
}

/** Definitions that lead back to themselves, by the edges that count. */
function cyclic(root: Node, counts: (optional: boolean) => boolean): readonly string[] {
  const definitions = isNode(root.$defs) ? root.$defs : {}
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>()
    const visit = (node: unknown, optional: boolean): void => {
      if (Array.isArray(node)) for (const item of node) visit(item, optional)
      if (!isNode(node)) return
      const name = typeof node.$ref === 'string' ? node.$ref.slice('#/$defs/'.length) : undefined
      if (name !== undefined && counts(optional) && !seen.has(name)) {
        seen.add(name)
        visit(definitions[name], false)
      }
      const required = Array.isArray(node.required) ? node.required : []
      for (const [key, value] of Object.entries(node)) {
        if (key === 'properties' && isNode(value)) {
          for (const [property, inner] of Object.entries(value)) visit(inner, optional || !required.includes(property))
        } else if (key !== 'enum' && key !== 'const') visit(value, optional)
      }
    }
    visit(definitions[start], false)
    return seen
  }
  return Object.keys(definitions).filter((name) => reach(name).has(name))
}

const openaiFormats = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '))

function levelsOf(node: unknown): number {
  if (!isNode(node)) return 0
  const below: number[] = [0]
  if (isNode(node.properties)) below.push(...Object.values(node.properties).map(levelsOf))
  if (Array.isArray(node.anyOf)) below.push(...node.anyOf.map(levelsOf))
  below.push(levelsOf(node.items))
  return Math.max(...below) + (typesOf(node).includes('object') ? 1 : 0)
}

const openaiStrict = oracle({
  keywords:
    '$schema type title description default properties required additionalProperties enum const anyOf $ref $defs definitions items minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format',
  node(node, path, report, root) {
    checkTypes(node, path, report)
    checkPrimitives(node, path, report)
    checkClosed(node, path, report)
    if (node.$ref !== '#') checkReference(node, path, report, root)
    if (!isSaid(node)) report(path, 'says no type')
    const names = isNode(node.properties) ? Object.keys(node.properties) : []
    const required = Array.isArray(node.required) ? node.required : []
    if (names.some((name) => !required.includes(name))) report(path, 'has an optional property')
    if (typesOf(node).includes('array') && !isNode(node.items)) report(path, 'a list without items')
    if (node.format !== undefined && !openaiFormats.has(String(node.format)))
      report(path, `format ${String(node.format)}`)
  },
  whole(root, nodes, report) {
    if (root.type !== 'object' || root.anyOf !== undefined) report('', 'the root is no plain object')
    const names = nodes.flatMap((node) => (isNode(node.properties) ? Object.keys(node.properties) : []))
    const values = nodes.flatMap((node) => (Array.isArray(node.enum) ? node.enum : []))
    if (names.length > 5000) report('', 'too many properties')
    if (values.length > 1000) report('', 'too many enum values')
    if ([...names, ...values.map(String)].join('').length > 120_000) report('', 'names and values too long')
    for (const start of [root, ...Object.values(isNode(root.$defs) ? root.$defs : {})]) {
      if (levelsOf(start) > 10) report('', 'nests too deep')
    }
  },
})

const anthropicFormats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

function anthropicConstrained(root: 'object' | 'any'): Oracle {
  return oracle({
    keywords:
      '$schema type title description default properties required additionalProperties enum const anyOf $ref $defs items minItems format',
    node(node, path, report, whole) {
      checkTypes(node, path, report)
      checkPrimitives(node, path, report)
      checkClosed(node, path, report)
      checkReference(node, path, report, whole)
      if (!isSaid(node)) report(path, 'says no type')
      if (Array.isArray(node.type) && !(node.type.length === 2 && node.type[1] === 'null'))
        report(path, 'has several types')
      if (node.minItems !== undefined && node.minItems !== 0 && node.minItems !== 1) report(path, 'minItems above 1')
      if (node.format !== undefined && !anthropicFormats.has(String(node.format)))
        report(path, `format ${String(node.format)}`)
    },
    whole(schema, nodes, report) {
      if (root === 'object' && schema.type !== 'object') report('', 'the root is no object')
      if (cyclic(schema, () => true).length > 0) report('', 'contains itself')
      const optional = nodes.flatMap((node) => {
        const required = Array.isArray(node.required) ? node.required : []
        return Object.keys(isNode(node.properties) ? node.properties : {}).filter((name) => !required.includes(name))
      })
      if (optional.length > 24) report('', 'too many optional properties')
      if (nodes.filter((node) => node.anyOf !== undefined || Array.isArray(node.type)).length > 16)
        report('', 'too many unions')
    },
  })
}

/** Non-strict tools: a hint, of which only the root is looked at. */
const rootObject: Oracle = (schema) => {
  if (!isNode(schema)) return ['the root is no schema']
  return schema.type === 'object' || schema.type === undefined ? [] : [`the root is of type ${String(schema.type)}`]
}

const geminiJsonSchema = oracle({
  keywords:
    'type title description properties required additionalProperties enum anyOf $ref $defs items prefixItems minItems maxItems minimum maximum format propertyOrdering',
  node(node, path, report, root) {
    checkTypes(node, path, report)
    checkReference(node, path, report, root)
    const values = Array.isArray(node.enum) ? node.enum : []
    if (values.some((value) => typeof value !== 'string' && typeof value !== 'number'))
      report(path, 'lists more than strings and numbers')
  },
  whole(root, _, report) {
    if (cyclic(root, (optional) => !optional).length > 0)
      report('', 'contains itself other than by an optional property')
  },
})

const openApiFormats = new Set('date-time enum float double int32 int64'.split(' '))

const geminiOpenApi = oracle({
  keywords:
    'type title description properties required enum anyOf items minItems maxItems minimum maximum minLength maxLength minProperties maxProperties pattern format default',
  node(node, path, report) {
    checkTypes(node, path, report)
    if (node.type === undefined && node.anyOf === undefined) report(path, 'says no type')
    const types = typesOf(node)
    if (Array.isArray(node.type) && !(types.length === 2 && types[1] === 'null')) report(path, 'has several types')
    const values = Array.isArray(node.enum) ? node.enum : []
    const isNullable = types.includes('null')
    if (values.some((value) => typeof value !== 'string' && !(value === null && isNullable)))
      report(path, 'lists more than strings')
    if (types.includes('array') && !isNode(node.items)) report(path, 'a list without items')
    if (node.format !== undefined && !openApiFormats.has(String(node.format)))
      report(path, `format ${String(node.format)}`)
  },
})

const ollama = oracle({
  keywords: 'type title description properties required enum anyOf items',
  node(node, path, report) {
    checkTypes(node, path, report)
  },
})

export const oracles: Readonly<Record<DialectName, Oracle>> = {
  openai_strict: openaiStrict,
  openai_plain: rootObject,
  anthropic_strict: anthropicConstrained('object'),
  anthropic_output: anthropicConstrained('any'),
  anthropic_tools: rootObject,
  gemini_json_schema: geminiJsonSchema,
  gemini_openapi: geminiOpenApi,
  ollama,
}
