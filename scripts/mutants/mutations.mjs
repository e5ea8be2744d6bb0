// The mutations: for each place of a source that exists at run time, what it can be replaced with. Only the syntax decides, never types.
import { parseProgram, unwrapExpression, walk } from './syntax.mjs'

const binaryOperators = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
}
const assignmentOperators = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '&=': '|=', '|=': '&=', '??=': '=' }

const methodSwaps = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  trimStart: 'trimEnd',
  trimEnd: 'trimStart',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  find: 'findLast',
  findLast: 'find',
  findIndex: 'findLastIndex',
  findLastIndex: 'findIndex',
  push: 'unshift',
  unshift: 'push',
  shift: 'pop',
  pop: 'shift',
  all: 'race',
}
/** Methods whose call can be replaced with the value they are called on. */
const removableMethods = new Set(
  'filter sort toSorted reverse toReversed slice trim trimStart trimEnd flat replace replaceAll concat'.split(' '),
)

/** Sentences: messages for people, whose wording is no behavior. */
const isProse = (text) => text.trim().split(/\s+/).length >= 3

/** A mutation that replaces a whole node. */
const replace = (node, replacement, kind) => ({ start: node.start, end: node.end, replacement, kind })

/** Finds the operator between two operands. */
function operatorRange(source, left, right, operator) {
  const start = source.indexOf(operator, left.end)
  return start >= 0 && start < right.start ? { start, end: start + operator.length } : undefined
}

const isText = (node) => {
  const inner = unwrapExpression(node)
  if (inner?.type === 'BinaryExpression' && inner.operator === '+') return isText(inner.left) || isText(inner.right)
  return inner?.type === 'TemplateLiteral' || (inner?.type === 'Literal' && typeof inner.value === 'string')
}

/** Conditions that other mutations change anyway need no negation. */
const hasOwnMutation = (node) => ['BinaryExpression', 'LogicalExpression'].includes(unwrapExpression(node)?.type)

function mutateCondition(test, source, isLoop) {
  const text = source.slice(test.start, test.end)
  return [
    ...(isLoop ? [] : [replace(test, 'true', 'condition')]),
    replace(test, 'false', 'condition'),
    ...(isLoop || hasOwnMutation(test) || unwrapExpression(test).type === 'UnaryExpression'
      ? []
      : [replace(test, `!(${text})`, 'condition')]),
  ].filter(({ replacement }) => replacement !== text)
}

function mutateBinary(node, source) {
  if (node.operator === '+' && (isText(node.left) || isText(node.right))) return []
  const range = operatorRange(source, node.left, node.right, node.operator)
  if (range === undefined) return []
  return (binaryOperators[node.operator] ?? []).map((other) => ({ ...range, replacement: other, kind: 'operator' }))
}

function mutateLogical(node, source) {
  const [left, right] = [node.left, node.right].map(({ start, end }) => source.slice(start, end))
  if (node.operator === '??') return [replace(node, left, 'fallback'), replace(node, right, 'fallback')]
  const range = operatorRange(source, node.left, node.right, node.operator)
  // Mixing `??` with a changed operator would need parentheses; such places are left out by the syntax check.
  return range === undefined ? [] : [{ ...range, replacement: node.operator === '&&' ? '||' : '&&', kind: 'logic' }]
}

function mutateLiteral(node, parent, key) {
  const { value } = node
  if (typeof value === 'boolean') return [replace(node, String(!value), 'literal')]
  if (typeof value === 'number') {
    if (parent.type === 'UnaryExpression') return []
    // A large number is a limit or a duration: nobody can notice one more or less.
    const others = value >= 100 ? [value * 2, Math.floor(value / 2)] : value > 0 ? [value + 1, value - 1] : [value + 1]
    return others.map((other) => replace(node, String(other), 'literal'))
  }
  if (typeof value === 'bigint') return [replace(node, `${value + 1n}n`, 'literal')]
  if (typeof value !== 'string' || isProse(value) || isName(parent, key)) return []
  return [replace(node, value === '' ? "'mutated'" : "''", 'literal')]
}

/** Strings that name modules or properties. */
function isName(parent, key) {
  if (['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'].includes(parent.type))
    return true
  if (parent.type === 'NewExpression' && parent.callee.name === 'URL') return true
  if (parent.type === 'ExpressionStatement') return true
  return (parent.type === 'Property' || parent.type === 'PropertyDefinition') && key === 'key'
}

function mutateTemplate(node, parent) {
  if (parent.type === 'TaggedTemplateExpression') return []
  const text = node.quasis.map(({ value }) => value.cooked ?? '').join(' x ')
  return isProse(text) ? [] : [replace(node, '``', 'literal')]
}

/** A sentence with values in it. */
const isSentence = ({ type, quasis }) =>
  type === 'TemplateLiteral' && isProse(quasis.map(({ value }) => value.cooked ?? '').join(' x '))

function mutateCall(node, source) {
  const callee = node.callee
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const { name, start, end } = callee.property
  const mutations = []
  const swap = methodSwaps[name]
  if (swap !== undefined) mutations.push({ start, end, replacement: swap, kind: 'method' })
  if (removableMethods.has(name) && callee.object.type !== 'Super' && !callee.optional) {
    mutations.push(replace(node, source.slice(callee.object.start, callee.object.end), 'method'))
  }
  return mutations
}

const isRemovableStatement = ({ type, expression, argument }) => {
  if (type === 'ReturnStatement') return argument === null
  if (type === 'ThrowStatement' || type === 'ContinueStatement' || type === 'BreakStatement') return true
  if (type !== 'ExpressionStatement') return false
  return [
    'CallExpression',
    'AwaitExpression',
    'AssignmentExpression',
    'UpdateExpression',
    'YieldExpression',
    'ChainExpression',
  ].includes(expression.type)
}

/** Statements can go only from a list or from a branch. */
function mutateStatement(node, parent, key, source) {
  const isBranch = parent.type === 'IfStatement' && key !== 'test'
  const isListed = ['BlockStatement', 'Program', 'SwitchCase', 'FunctionBody', 'StaticBlock'].includes(parent.type)
  if (isBranch && node.type === 'ReturnStatement') return [replace(node, '{}', 'statement')]
  if ((!isListed && !isBranch) || !isRemovableStatement(node)) return []
  // The last `return` of a function, and a `break` at the end of the last case, change nothing.
  if (node.type === 'ReturnStatement' && isListed && parent.body?.at(-1) === node) return []
  return source.slice(node.start, node.end) === '' ? [] : [replace(node, isBranch ? '{}' : ';', 'statement')]
}

function mutateBlock(node, parent, key) {
  const isHandler = (parent.type === 'CatchClause' || parent.type === 'TryStatement') && key !== 'block'
  const isElse = parent.type === 'IfStatement' && key === 'alternate'
  return (isHandler || isElse) && node.body.length > 0 ? [replace(node, '{}', 'statement')] : []
}

function mutateNode(node, parent, key, source) {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return mutateCondition(node.test, source, false)
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      return node.test === null ? [] : mutateCondition(node.test, source, true)
    case 'BinaryExpression':
      return mutateBinary(node, source)
    case 'LogicalExpression':
      return mutateLogical(node, source)
    case 'AssignmentExpression': {
      const other = assignmentOperators[node.operator]
      const range = operatorRange(source, node.left, node.right, node.operator)
      if (other === undefined || range === undefined) return []
      return node.operator === '+=' && isText(node.right) ? [] : [{ ...range, replacement: other, kind: 'operator' }]
    }
    case 'UpdateExpression': {
      const text = source.slice(node.start, node.end)
      const other = node.operator === '++' ? '--' : '++'
      return [replace(node, text.replace(node.operator, other), 'operator')]
    }
    case 'UnaryExpression': {
      const argument = source.slice(node.argument.start, node.argument.end)
      return node.operator === '!' || node.operator === '-' ? [replace(node, argument, 'operator')] : []
    }
    case 'Literal':
      return mutateLiteral(node, parent, key)
    case 'TemplateLiteral':
      return mutateTemplate(node, parent)
    case 'ArrayExpression':
      return node.elements.length > 0 ? [replace(node, '[]', 'literal')] : []
    case 'ObjectExpression':
      return node.properties.length > 0 ? [replace(node, '{}', 'literal')] : []
    case 'MemberExpression':
    case 'CallExpression': {
      const mutations = node.type === 'CallExpression' ? mutateCall(node, source) : []
      if (!node.optional) return mutations
      const object = node.callee ?? node.object
      const start = source.indexOf('?.', object.end)
      const replacement = node.computed || node.callee !== undefined ? '' : '.'
      return [...mutations, { start, end: start + 2, replacement, kind: 'chain' }]
    }
    case 'BlockStatement':
      return mutateBlock(node, parent, key)
    default:
      return mutateStatement(node, parent, key, source)
  }
}

/** The source with one mutation applied. */
export const applyMutation = (source, { start, end, replacement }) =>
  source.slice(0, start) + replacement + source.slice(end)

/** All mutations of a source, in the order of their places. */
export function listMutations(file, source) {
  const found = new Map()
  let sentenceEnd = 0
  walk(parseProgram(file, source), (node, parent, key) => {
    if (parent === undefined || node.start < sentenceEnd) return
    if (isSentence(node)) sentenceEnd = node.end
    for (const mutation of mutateNode(node, parent, key, source)) {
      const original = source.slice(mutation.start, mutation.end)
      if (original === mutation.replacement) continue
      found.set(`${mutation.start} ${mutation.end} ${mutation.replacement}`, { file, original, ...mutation })
    }
  })
  return [...found.values()].toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** Whether the mutated source still parses. */
export const isValid = (source, mutation) => parseProgram(mutation.file, applyMutation(source, mutation)) !== undefined
