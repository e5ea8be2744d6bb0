// Arguments that Vertex streams piece by piece: each piece names its place by a JSON path (`$.list[0].name`).
// Trap: a string may come in several pieces; keys are the model's own and may be anything, so nothing is an object until the end.
import { isJsonObject, isList } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

type Node = { kind: 'map'; members: Map<string, Node> } | { kind: 'list'; items: Node[] } | ValueNode
interface ValueNode {
  readonly kind: 'value'
  value: Json
}

/** More places than any call has; a stream cannot make a list of a billion holes. */
const maxItems = 100_000

export interface PartialArguments {
  /** Takes the pieces of one frame. */
  add(pieces: Json | undefined): void
  /** The arguments as JSON text; nothing when a piece could not be placed. */
  text(): string | undefined
}

export function partialArguments(): PartialArguments {
  const root: Node = { kind: 'map', members: new Map() }
  let lost = false
  /** Where the last piece was put: a long text comes in many pieces of one place. */
  let last: { readonly path: Json | undefined; readonly node: ValueNode } | undefined
  return {
    add(pieces) {
      if (!isList(pieces)) return
      for (const piece of pieces) {
        const value = isJsonObject(piece) ? pieceValue(piece) : undefined
        if (value === undefined) {
          lost = true
          continue
        }
        const { jsonPath: path } = piece as JsonObject
        const node = path === last?.path ? last?.node : nodeAt(root, path)
        if (node === undefined) {
          lost = true
          continue
        }
        last = { path, node }
        node.value = typeof node.value === 'string' && typeof value === 'string' ? node.value + value : value
      }
    },
    text: () => (lost ? undefined : write(root)),
  }
}

/** The place a path names, made when it is not there; nothing when it cannot be one. */
function nodeAt(root: Node, jsonPath: Json | undefined): ValueNode | undefined {
  const path = typeof jsonPath === 'string' ? steps(jsonPath) : undefined
  if (path === undefined) return undefined
  let node: Node = root
  for (let index = 0; index < path.length; index += 1) {
    const next = childOf(node, path[index] as string | number, path[index + 1])
    if (next === undefined) return undefined
    node = next
  }
  return node.kind === 'value' ? node : undefined
}

/** The node at a step, made when it is not there: what comes next decides what it is. */
function childOf(node: Node, step: string | number, next: string | number | undefined): Node | undefined {
  const fresh = (): Node => {
    if (next === undefined) return { kind: 'value', value: null }
    return typeof next === 'number' ? { kind: 'list', items: [] } : { kind: 'map', members: new Map() }
  }
  if (node.kind === 'map' && typeof step === 'string') {
    const known = node.members.get(step)
    if (known !== undefined) return known
    const made = fresh()
    node.members.set(step, made)
    return made
  }
  if (node.kind !== 'list' || typeof step !== 'number' || step > maxItems) return undefined
  while (node.items.length < step) node.items.push({ kind: 'value', value: null })
  node.items[step] ??= fresh()
  return node.items[step]
}

function pieceValue(piece: JsonObject): Json | undefined {
  if (typeof piece.stringValue === 'string') return piece.stringValue
  if (typeof piece.numberValue === 'number') return piece.numberValue
  if (typeof piece.boolValue === 'boolean') return piece.boolValue
  return 'nullValue' in piece ? null : undefined
}

const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** `$.a[0]['b c']` as keys and indexes; nothing for any other path. */
function steps(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const found: (string | number)[] = []
  let index = 1
  while (index < path.length) {
    step.lastIndex = index
    const match = step.exec(path)
    if (match === null) return undefined
    const [all, name, position, single, double] = match
    found.push(position === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(position))
    index += all.length
  }
  return found
}

function write(node: Node): string {
  switch (node.kind) {
    case 'value':
      return JSON.stringify(node.value)
    case 'list':
      return `[${node.items.map(write).join(',')}]`
    case 'map':
      return `{${[...node.members].map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`
  }
}
