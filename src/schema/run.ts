// One check of one value: what the compiled closures share while they run. There is one implementation of each keyword and two ways
// to run it: without a sink it stops at the first failure and allocates nothing, with one it goes on and notes every failure.
import { at } from '../json/pointer.js'
import type { Json } from '../json/types.js'
import type { Resource } from './document.js'
import { type Glance, isSeen } from './glance.js'
import { Exhausted, type Meter, spend } from './meter.js'
import { schemaLimits } from './rules.js'

export interface Failure {
  readonly path: string
  /** A failed type (`text` is its name), a list of alternatives of which none fits, or any other rule. */
  readonly kind: 'type' | 'alternatives' | 'rule'
  readonly text: string
}

export interface Run extends Meter {
  /** Schemas that are being visited within each other. */
  depth: number
  /** Undefined: only the verdict is wanted. */
  sink: Failure[] | undefined
  /** Where in the value the run is; kept only with a sink. */
  path: (string | number)[]
  /** The resources the run has entered, outermost first, each once. Kept only for schemas with dynamic references. */
  scope: readonly Resource[]
}

/** A run that may spend so much work, and stops at the first failure. */
export function newRun(work: number = schemaLimits.work): Run {
  return { limit: work, left: work, depth: 0, sink: undefined, path: nowhere, scope: nowhere }
}

/** Where a run is that only wants a verdict. */
const nowhere: never[] = []

/** Whether the value fits; with a sink, every failure was noted before it says no. */
export type Check = (value: unknown, run: Run) => boolean

/** A schema in its place. Compiled when it is first visited, so that a part nobody asks for costs nothing. */
export interface Node extends Glance {
  readonly schema: Json
  check: Check
}

/** Applies a schema, one level deeper. */
export function visit(node: Node, value: unknown, run: Run): boolean {
  enter(run)
  const fits = node.check(value, run)
  run.depth--
  return fits
}

/** On its own, because the runtime reads a number faster than a member. */
const deepest: number = schemaLimits.visitDepth

/** Counts a visit and a level; who enters takes the level back (`run.depth--`). A check that applies no other schema need not. */
export function enter(run: Run): void {
  if (--run.left < 0) throw new Exhausted('work')
  if (++run.depth > deepest) throw new Exhausted('depth')
}

/** Applies a schema to a member of the value. The loop over the members has entered, and pays for each. */
export function checkMember(node: Node, value: unknown, run: Run, key: string | number): boolean {
  if (isSeen(value, node)) return true
  if (run.sink === undefined) return node.check(value, run)
  run.path.push(key)
  const fits = node.check(value, run)
  run.path.pop()
  return fits
}

/** Only the verdict, whatever the run is after. */
export function matches(node: Node, value: unknown, run: Run): boolean {
  const { sink } = run
  run.sink = undefined
  const fits = visit(node, value, run)
  run.sink = sink
  return fits
}

/** Always false. `key` names a member of the place the run is at. */
export function fail(run: Run, text: string, key?: string | number): false {
  return note(run, 'rule', text, key)
}

export function failAlternatives(run: Run, text: string): false {
  return note(run, 'alternatives', text)
}

export function failTypes(run: Run, names: readonly string[]): false {
  if (run.sink !== undefined) for (const name of names) note(run, 'type', name)
  return false
}

/** More failures than anybody reads: the run ends here with those it has. */
export class Enough extends Error {}

function note(run: Run, kind: Failure['kind'], text: string, key?: string | number): false {
  if (run.sink === undefined) return false
  spend(run, 10)
  if (run.sink.length >= schemaLimits.failures) throw new Enough()
  const place = run.path.reduce<string>(at, '')
  run.sink.push({ path: key === undefined ? place : at(place, key), kind, text })
  return false
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
