// The result of the laboratory as Markdown: the versions, then a row for each defect.

const begin = '<!-- lab: written by `npm run lab -- --write` -->'
const end = '<!-- end of lab -->'

/** The versions and the table. What is bad stands in bold. */
export function table({ date, node, rows, columns }) {
  const versions = columns.map(
    ({ name, versions: list }) => `- ${name}: ${list.map((one) => one.join(' ')).join(', ')}`,
  )
  const line = (cells) => `| ${cells.join(' | ')} |`
  const count = ({ verdicts }) => verdicts.filter(({ verdict }) => verdict === 'bad').length
  return [
    `Played on ${date}, Node ${node.slice(1)}:`,
    '',
    ...versions,
    '',
    line(['', ...columns.map(({ name }) => name)]),
    line(['---', ...columns.map(() => '---')]),
    line([`bad, of ${rows.length}`, ...columns.map((one) => `${count(one)}`)]),
    ...rows.map(({ id, defect }, index) =>
      line([`${id}: ${defect}`, ...columns.map(({ verdicts }) => cell(verdicts[index]))]),
    ),
  ].join('\n')
}

function cell({ verdict, text }) {
  return verdict === 'bad' ? `**${text}**` : text
}

/** The page with its table replaced. */
export function page(text, result) {
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`the page has no place for the table: ${begin} … ${end}`)
  return `${text.slice(0, before + begin.length)}\n${table(result)}\n${text.slice(after)}`
}
