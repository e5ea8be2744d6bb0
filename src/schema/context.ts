// What the compilation of one document knows: its references, and each of its schemas as a node.
import type { Json, JsonObject } from '../json/types.js'
import type { Formats } from './formats/formats.js'
import type { Pattern } from './pattern.js'
import type { Node, Run } from './run.js'

/** Finds the node a reference applies. A dynamic reference depends on the resources that the run has entered. */
export type Reference = (run: Run) => Node

export interface Context {
  /** The node of a schema of the document, one per schema object. */
  readonly node: (schema: Json) => Node
  /** The schema as draft 2020-12 writes it. */
  readonly read: (schema: JsonObject) => JsonObject
  /** The references of a schema; the check of the schema proved that they lead somewhere. */
  readonly references: (schema: JsonObject) => readonly Reference[]
  /** Enters the resource of a schema that is about to be applied. Returns the scope to restore afterwards. */
  readonly enterScope: (schema: Json, run: Run) => Run['scope']
  /** Undefined for a pattern that is left out. */
  readonly pattern: (source: string) => Pattern | undefined
  /** The formats to check; none by default. */
  readonly formats: Formats | undefined
  /**
   * Whether patterns that cannot be matched are left out. Then so is every keyword that could refuse more because another part
   * of the schema accepts more.
   */
  readonly weakened: boolean
}
