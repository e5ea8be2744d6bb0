// The engine's errors as issues a model can act on: one sentence per failing path.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { at } from '../json/pointer.js'
import type { Issue } from './issue.js'
import { schemaLimits } from './rules.js'

/** Issues in the order they were found, types of alternatives joined ("must be string or null"), capped. */
export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  const types = new Map<string, Set<string>>()
  const messages = new Map<string, Set<string>>()
  const alternatives: Issue[] = []
  for (const error of errors.slice(0, schemaLimits.issues * 50)) {
    const { path, message } = issueOf(error)
    if (error.keyword === 'type') for (const type of [error.params.type].flat()) added(types, path, String(type))
    else if (error.keyword === 'anyOf' || error.keyword === 'oneOf') alternatives.push({ path, message })
    else added(messages, path, message)
  }
  for (const [path, names] of types) added(messages, path, `must be ${[...names].join(' or ')}`)
  for (const { path, message } of alternatives) {
    const explained = [...messages.keys()].some((other) => other === path || other.startsWith(`${path}/`))
    if (!explained) added(messages, path, message)
  }
  return capped([...messages].map(([path, texts]) => ({ path, message: [...texts].join(', or ') })))
}

/** The first issues, and how many were left out. */
export function capped(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - schemaLimits.issues
  if (more <= 0) return issues
  return [...issues.slice(0, schemaLimits.issues), { path: '', message: `and ${more} more` }]
}

function added(map: Map<string, Set<string>>, path: string, text: string): void {
  const texts = map.get(path)
  if (texts === undefined) map.set(path, new Set([text]))
  else texts.add(text)
}

function issueOf(error: ErrorObject): Issue {
  const { keyword, instancePath, params } = error
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { path: at(instancePath, params.missingProperty), message: 'is required' }
    case 'additionalProperties':
      return { path: at(instancePath, params.additionalProperty), message: 'is not a known property' }
    case 'unevaluatedProperties':
      return { path: at(instancePath, params.unevaluatedProperty), message: 'is not a known property' }
    case 'propertyNames':
      return { path: at(instancePath, params.propertyName), message: 'is not an allowed property name' }
    case 'enum':
      return { path: instancePath, message: `must be one of ${listed(params.allowedValues)}` }
    case 'const':
      return { path: instancePath, message: `must be ${shown(params.allowedValue)}` }
    case 'anyOf':
      return { path: instancePath, message: 'must match one of the alternatives' }
    case 'oneOf':
      return { path: instancePath, message: 'must match exactly one of the alternatives' }
    case 'not':
      return { path: instancePath, message: 'must not match the excluded schema' }
    case 'false schema':
      return { path: instancePath, message: 'is not allowed' }
    case 'minContains':
    case 'contains':
      return { path: instancePath, message: `must contain at least ${params.minContains ?? 1} matching items` }
    default:
      return {
        path: instancePath,
        message: limits.get(keyword)?.(params) ?? `breaks the rule ${keyword} of its schema`,
      }
  }
}

const limits: ReadonlyMap<string, (params: ErrorObject['params']) => string> = new Map<
  string,
  (params: ErrorObject['params']) => string
>([
  ['minLength', ({ limit }) => `must have at least ${limit} characters`],
  ['maxLength', ({ limit }) => `must have at most ${limit} characters`],
  ['minItems', ({ limit }) => `must have at least ${limit} items`],
  ['maxItems', ({ limit }) => `must have at most ${limit} items`],
  ['items', ({ limit }) => `must have at most ${limit} items`],
  ['unevaluatedItems', ({ len }) => `must have at most ${len} items`],
  ['minProperties', ({ limit }) => `must have at least ${limit} properties`],
  ['maxProperties', ({ limit }) => `must have at most ${limit} properties`],
  ['minimum', ({ limit }) => `must be ${limit} or more`],
  ['maximum', ({ limit }) => `must be ${limit} or less`],
  ['exclusiveMinimum', ({ limit }) => `must be more than ${limit}`],
  ['exclusiveMaximum', ({ limit }) => `must be less than ${limit}`],
  ['multipleOf', ({ multipleOf }) => `must be a multiple of ${multipleOf}`],
  ['pattern', ({ pattern }) => `must match the pattern ${shown(pattern)}`],
  ['uniqueItems', () => 'must not have the same item twice'],
])

function listed(values: readonly unknown[]): string {
  const list = values.slice(0, 20).map(shown).join(', ')
  return values.length > 20 ? `${list} and ${values.length - 20} more` : list
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
