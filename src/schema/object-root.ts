// The root of a tool's schema: providers want `type: "object"` there in so many words.
import type { Json, JsonObject } from '../json/types.js'
import type { Normalised } from './normalise.js'

/** Says `type: "object"` at a root that allows objects; a root that only allows something else is left for the check to refuse. */
export function objectRoot(schema: JsonObject): Normalised {
  const { type } = schema
  if (type === 'object') return { schema, notes: [] }
  const isOpen = type === undefined || (Array.isArray(type) && type.includes('object'))
  if (!isOpen) return { schema, notes: [] }
  const said = type === undefined ? 'the root has no type' : `the root has the types ${JSON.stringify(type)}`
  const members: [string, Json][] = Object.entries(schema).filter(([keyword]) => keyword !== 'type')
  return {
    schema: Object.fromEntries([['type', 'object'], ...members]),
    notes: [{ path: '/type', message: `${said}: arguments are an object, so it is read as "object"` }],
  }
}
