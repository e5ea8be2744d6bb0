// What the compilation of one document knows: its references, and each of its schemas as a node.
import type { Json } from '../json/types.js'
import type { Pattern } from './pattern.js'
import type { Node } from './run.js'

export interface Context {
  /** The node of a schema of the document, one per schema object. */
  readonly node: (schema: Json) => Node
  /** The node a reference leads to; the check of the schema proved that there is one. */
  readonly target: (reference: string) => Node
  /** Undefined for a pattern that is left out. */
  readonly pattern: (source: string) => Pattern | undefined
  /**
   * Whether patterns that cannot be matched are left out. Then so is every keyword that could refuse more because another part
   * of the schema accepts more.
   */
  readonly weakened: boolean
}
