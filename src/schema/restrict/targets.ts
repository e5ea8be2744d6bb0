// Which references of a schema may stay references: their targets, named, and those on a cycle.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Resolve } from '../document.js'
import { places } from '../keywords.js'
import type { Dialect } from './dialects.js'

/** The reference of a schema, however the draft spells it. */
export function referenceIn(schema: JsonObject): string | undefined {
  const { $ref, $dynamicRef, $recursiveRef } = schema
  const reference = $ref ?? $dynamicRef ?? $recursiveRef
  return typeof reference === 'string' ? reference : undefined
}

export interface Targets {
  /** The names of the targets that stay definitions. */
  readonly kept: ReadonlyMap<JsonObject, string>
  readonly cyclic: ReadonlySet<JsonObject>
}

export function findTargets(root: JsonObject, resolve: Resolve, references: Dialect['references']): Targets {
  if (!mentions(root)) return { kept: new Map(), cyclic: new Set() }
  const graph = new Map<JsonObject, readonly Edge[]>()
  const names = new Map<JsonObject, string>()
  const visit = (schema: JsonObject): void => {
    const edges = edgesOf(schema, resolve)
    graph.set(schema, edges)
    for (const { target, reference } of edges) {
      if (!names.has(target)) names.set(target, nameOf(reference, names))
      if (!graph.has(target)) visit(target)
    }
  }
  visit(root)
  const cyclic = onCycles(graph, () => true)
  const refused =
    references === 'all' ? new Set() : references === 'acyclic' ? cyclic : onCycles(graph, (edge) => !edge.optional)
  const kept = [...names].filter(([target]) => references !== 'none' && !refused.has(target))
  return { kept: new Map(kept), cyclic }
}

/** Whether a reference stands anywhere, be it in data. */
function mentions(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isJsonObject(value) && referenceIn(value) !== undefined) return true
  for (const key in value) if (mentions((value as JsonObject)[key] ?? null)) return true
  return false
}

interface Edge {
  readonly target: JsonObject
  readonly reference: string
  /** Whether an optional property leads there. */
  readonly optional: boolean
}

function edgesOf(schema: JsonObject, resolve: Resolve): readonly Edge[] {
  const edges: Edge[] = []
  const walk = (node: Json, optional: boolean): void => {
    if (!isJsonObject(node)) return
    const reference = referenceIn(node)
    const target = reference === undefined ? undefined : resolve(reference)
    if (reference !== undefined && isJsonObject(target)) edges.push({ target, reference, optional })
    const required = Array.isArray(node.required) ? node.required : []
    for (const { keyword, key, schema: inner } of places(node)) {
      // Definitions are reached by their references.
      if (keyword === '$defs' || keyword === 'definitions') continue
      walk(inner, optional || (keyword === 'properties' && !required.includes(key ?? '')))
    }
  }
  walk(schema, false)
  return edges
}

function nameOf(reference: string, names: ReadonlyMap<JsonObject, string>): string {
  const last = reference.split('/').at(-1) ?? ''
  const stem = last.replace(/[^a-zA-Z0-9_.-]/g, '_') || 'root'
  const taken = new Set(names.values())
  let name = stem
  for (let count = 2; taken.has(name); count += 1) name = `${stem}_${count}`
  return name
}

/** The nodes that lie on a cycle of the edges that count. */
function onCycles(
  graph: ReadonlyMap<JsonObject, readonly Edge[]>,
  counts: (edge: Edge) => boolean,
): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>()
  for (const start of graph.keys()) {
    const seen = new Set<JsonObject>()
    const waiting = [start]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const edge of graph.get(node) ?? []) {
        if (!counts(edge) || seen.has(edge.target)) continue
        seen.add(edge.target)
        waiting.push(edge.target)
      }
    }
    if (seen.has(start)) found.add(start)
  }
  return found
}
