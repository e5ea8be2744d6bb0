// Parsing and walking of TypeScript sources for the mutants. Types are skipped: they leave nothing at run time.
import { parseSync } from 'oxc-parser'

/** TypeScript nodes that wrap an expression. All other nodes whose name begins with TS are types. */
const wrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
])

/** The program of a source, or undefined when the source has a syntax error. */
export function parseProgram(file, source) {
  const { program, errors } = parseSync(file, source)
  return errors.length === 0 ? program : undefined
}

/** Calls `visit(node, parent, key)` for every node that exists at run time, parents first. */
export function walk(node, visit, parent, key) {
  if (node.type.startsWith('TS') && !wrappers.has(node.type)) return
  if (node.declare === true || node.importKind === 'type' || node.exportKind === 'type') return
  visit(node, parent, key)
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit, node, name)
    }
  }
}

/** The expression inside parentheses and type assertions. */
export function unwrapExpression(node) {
  return node?.type === 'ParenthesizedExpression' || wrappers.has(node?.type) ? unwrapExpression(node.expression) : node
}
