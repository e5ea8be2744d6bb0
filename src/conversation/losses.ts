// A loss is one executable step away from the input: `applyLosses` turns what was encoded into what decoding gives back.
import { pointerKeys } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { type Wire, wires } from './messages.js'

export { at } from '../json/pointer.js'

/** What became of it: left out, said otherwise, put right, or allowed more than was asked. */
export type LossKind = 'dropped' | 'changed' | 'repaired' | 'widened'
/**
 * One thing that did not cross unchanged. `path` is an RFC 6901 pointer into the value that was encoded. `dropped` removes
 * the value there; `changed` and `widened` put `to` there (no `to`: remove it). `repaired` reports a change of structure
 * that `seal` or a decoder already made: it explains, and is not applied again.
 */
export interface Loss {
  readonly code: string
  readonly wire: Wire
  readonly path: string
  readonly kind: LossKind
  readonly to?: Json
  readonly message: string
}

interface Node {
  loss?: Pick<Loss, 'kind' | 'to'>
  children?: Map<string, Node>
}

/** Applies every loss to a plain JSON value at once: all paths point into the value as given, so indexes never shift. */
export function applyLosses<T>(value: T, losses: readonly Pick<Loss, 'path' | 'kind' | 'to'>[]): T {
  const root: Node = {}
  for (const loss of losses) {
    if (loss.kind === 'repaired') continue
    let node = root
    for (const key of pointerKeys(loss.path)) {
      node.children ??= new Map()
      let next = node.children.get(key)
      if (next === undefined) {
        next = {}
        node.children.set(key, next)
      }
      node = next
    }
    node.loss = loss
  }
  return rebuild(value as Json, root) as T
}

function rebuild(value: Json | undefined, node: Node): Json | undefined {
  if (node.loss !== undefined) return node.loss.kind === 'dropped' ? undefined : node.loss.to
  if (node.children === undefined) return value
  if (Array.isArray(value)) {
    const children = node.children
    const list: Json[] = []
    value.forEach((item: Json, index) => {
      const child = children.get(String(index))
      const next = child === undefined ? item : rebuild(item, child)
      if (next !== undefined) list.push(next)
    })
    return list
  }
  const source = (value ?? {}) as JsonObject
  const copy = new Map(Object.entries(source))
  for (const [key, child] of node.children) {
    const next = key === 'extra' ? rebuildCarried(source[key], child) : rebuild(source[key], child)
    if (next === undefined) copy.delete(key)
    else copy.set(key, next)
  }
  return Object.fromEntries(copy)
}

const known: ReadonlySet<string> = new Set(wires)

/** What a node carries for wires: a wire that lost all its fields is not there any more, nor is the whole without wires. */
function rebuildCarried(value: Json | undefined, node: Node): Json | undefined {
  const next = rebuild(value, node)
  const touched = [...(node.children?.keys() ?? [])]
  if (next === undefined || node.loss !== undefined || !touched.every((key) => known.has(key))) return next
  const kept = Object.entries(next as JsonObject).filter(([key, own]) => !touched.includes(key) || !isEmpty(own))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
