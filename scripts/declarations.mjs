// A reader of emitted declarations, for the style they have here: every statement begins in the first column, what belongs to it is
// indented or begins with a brace, and doors name their exports one by one. No other TypeScript is understood.
import { readFileSync } from 'node:fs'

/** Every export of a door in its order: its name, whether it is a value or a type, its comment as text, its declaration. */
export function exportsOf(door) {
  return namesIn(readFileSync(door, 'utf8')).map(({ own, name, isType, from }) => {
    const { text, code, isValue } = declarationOf(own, from === undefined ? door : new URL(declared(from), door))
    return { name, kind: isType || !isValue ? 'type' : 'value', text, code: renamed(code, own, name) }
  })
}

/** The exports that a file names, with where they come from; undefined for its own. */
function namesIn(source) {
  const imported = new Map(itemsOf(source, 'import').map((item) => [item.name, item]))
  const listed = itemsOf(source, 'export').map((item) => {
    const origin = item.from === undefined ? imported.get(item.own) : undefined
    return origin === undefined ? item : { ...item, own: origin.own, from: origin.from }
  })
  const written = source.matchAll(/^export (?:declare )?(?:const|function|class|interface|type) (\w+)/gm)
  const own = [...new Set([...written].map(([, name]) => name))]
  return [...listed, ...own.map((name) => ({ own: name, name, isType: false, from: undefined }))]
}

/** What stands in the braces of imports or exports. */
function itemsOf(source, word) {
  const lists = source.matchAll(new RegExp(`^${word} (type )?\\{([^}]*)\\}(?: from '([^']+)')?;`, 'gm'))
  return [...lists].flatMap(([, allTypes, names, from]) => {
    const items = names.split(',').map((item) => item.trim())
    return items
      .filter((item) => item !== '')
      .map((item) => {
        const [own, name = own] = item.replace(/^type /, '').split(' as ')
        return { own, name, isType: allTypes !== undefined || item.startsWith('type '), from }
      })
  })
}

/** The declaration of a name in a file, or in the file that this one has it from. */
function declarationOf(name, file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const begins = new RegExp(`^(?:export )?(?:declare )?(abstract class|class|const|function|interface|type) ${name}\\b`)
  const starts = lines.flatMap((line, index) => (begins.test(line) ? [index] : []))
  if (starts.length > 0) return statementsAt(lines, starts, begins)
  const passed = namesIn(lines.join('\n')).find((item) => item.name === name && item.from !== undefined)
  if (passed === undefined) throw new Error(`${file.pathname} neither declares nor passes on "${name}"`)
  return declarationOf(passed.own, new URL(declared(passed.from), file))
}

/** Statements of one name: overloads, or a type and a value. */
function statementsAt(lines, starts, begins) {
  const code = starts.map((start) => {
    const kind = begins.exec(lines[start])[1]
    const statement = lines.slice(start, endOf(lines, start, /class|interface/.test(kind) ? '}' : ';') + 1)
    return statement.join('\n').replaceAll('    ', '  ')
  })
  const text = starts.map((start) => commentBefore(lines, start)).filter((comment) => comment !== '')
  const isValue = starts.some((start) => !/^(?:interface|type)$/.test(begins.exec(lines[start])[1]))
  return { text: text.join('\n\n'), code: code.join('\n'), isValue }
}

/** The line where every bracket is closed and the statement's last sign stands. Comments and texts hold no brackets to count. */
function endOf(lines, start, last) {
  let depth = 0
  let inComment = false
  for (let index = start; index < lines.length; index++) {
    let line = lines[index].replaceAll(/\/\*.*?\*\/|\/\/.*$/g, '')
    if (inComment) line = line.includes('*/') ? line.slice(line.indexOf('*/') + 2) : ''
    inComment = (inComment && !lines[index].includes('*/')) || line.includes('/*')
    const signs = line.replace(/\/\*.*/, '').replaceAll(/'[^']*'|"[^"]*"/g, '')
    depth += (signs.match(/[{[(]/g)?.length ?? 0) - (signs.match(/[}\])]/g)?.length ?? 0)
    if (depth === 0 && signs.trimEnd().endsWith(last)) return index
  }
  throw new Error(`the declaration "${lines[start]}" has no end`)
}

function commentBefore(lines, start) {
  if (!lines[start - 1]?.endsWith('*/')) return ''
  let first = start - 1
  while (!lines[first].startsWith('/**')) first -= 1
  const text = lines
    .slice(first, start)
    .map((line) => line.replace(/^\s*(?:\/\*\*|\*(?!\/))? ?/, '').replace(/\s*\*\/$/, ''))
  return text.join('\n').trim()
}

/** The file of declarations beside a module. */
function declared(module) {
  return module.replace(/\.js$/, '.d.ts')
}

/** Declarations say the name that the door gives them. */
function renamed(code, own, name) {
  return own === name ? code : code.replace(new RegExp(`\\b${own}\\b`), name)
}
