// Which tests run which code: each statement and each branch of an expression is a point that marks itself when it runs.
import { parseProgram, walk } from './syntax.mjs'

const lists = {
  BlockStatement: 'body',
  FunctionBody: 'body',
  StaticBlock: 'body',
  Program: 'body',
  SwitchCase: 'consequent',
}
const skipped = /^(Import|Export|TS|EmptyStatement)/

function pointKind(node, parent, key) {
  if (lists[parent.type] === key) return skipped.test(node.type) ? undefined : 'statement'
  if (parent.type === 'IfStatement' && key !== 'test') return node.type === 'BlockStatement' ? undefined : 'branch'
  if (/^(For|While|DoWhile)/.test(parent.type) && key === 'body')
    return node.type === 'BlockStatement' ? undefined : 'branch'
  if (parent.type === 'ArrowFunctionExpression' && key === 'body')
    return node.type === 'BlockStatement' || node.type === 'FunctionBody' ? undefined : 'expression'
  if (parent.type === 'ConditionalExpression' && key !== 'test') return 'expression'
  return parent.type === 'LogicalExpression' && key === 'right' ? 'expression' : undefined
}

/** The points of a source. The first one stands for the module itself. */
export function listPoints(file, source) {
  const points = [{ start: 0, end: source.length, kind: 'module' }]
  walk(parseProgram(file, source), (node, parent, key) => {
    const kind = parent === undefined ? undefined : pointKind(node, parent, key)
    if (kind !== undefined) points.push({ start: node.start, end: node.end, kind })
  })
  return points
}

/** The source with code that marks each point as it runs. Lines stay where they are. */
export function instrument(file, source) {
  const points = listPoints(file, source)
  const inserts = []
  const insert = (at, order, text) => inserts.push({ at, order, text })
  points.forEach(({ start, end, kind }, index) => {
    if (kind === 'module') return
    if (kind === 'statement') insert(start, index, `__mark(${index});`)
    if (kind === 'branch') insert(start, index, `{__mark(${index});`)
    if (kind === 'expression') insert(start, index, `(__mark(${index}),`)
    if (kind === 'branch') insert(end, -index, '}')
    if (kind === 'expression') insert(end, -index, ')')
  })
  // At one place what ends comes before what begins, the innermost first.
  inserts.sort((a, b) => a.at - b.at || a.order - b.order)
  let at = source.startsWith('#!') ? source.indexOf('\n') + 1 : 0
  let code = `${source.slice(0, at)}const __mark = globalThis.__marks?.(${JSON.stringify(file)}, ${points.length}) ?? (() => {});`
  for (const { at: next, text } of inserts) {
    code += source.slice(at, next) + text
    at = next
  }
  return code + source.slice(at)
}

/** The innermost point around a place. Points are in the order of a walk from the outside in, so it is the last one. */
export const findPoint = (points, { start, end }) =>
  points.findLastIndex((point) => point.start <= start && end <= point.end)
