// `npm run lab`: the defects of test/lab/rows.json with every library, judged by the same rules. Prints the table, writes
// results.json, and with --write the table of docs/comparison.md. Arguments name libraries to play instead of all.
import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { judge } from './judge.mjs'
import { page, table } from './table.mjs'

const stuckMs = 20_000
const all = ['vercel-ai', 'langchain', 'tanstack-ai', 'openai-agents', 'ax', 'toolwire']
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

/** What was seen of each row, in order. A worker that says nothing for too long is ended, and the next takes over behind that row. */
async function observations(library, rows) {
  const seen = []
  while (seen.length < rows.length) {
    const before = seen.length
    await work(library, rows.slice(before), (one) => seen.push(one))
    if (seen.length < rows.length)
      seen.push({ id: rows[seen.length].id, end: 'hangs', text: '', ran: [], requests: [] })
  }
  return seen
}

function work(library, rows, onSeen) {
  const url = new URL('worker.mjs', import.meta.url)
  const worker = fork(url, [library, JSON.stringify(rows)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const timer = setTimeout(() => worker.kill('SIGKILL'), stuckMs)
  worker.on('message', (one) => {
    timer.refresh()
    onSeen(one)
  })
  return new Promise((resolve) => {
    worker.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** A library with its versions and a verdict for each row. */
async function column(library, rows) {
  const { name, packages, lacks = {} } = await import(`./libraries/${library}.mjs`)
  const seen = await observations(library, rows)
  const verdicts = rows.map((row, index) => {
    const verdict = judge(row, seen[index])
    return verdict.verdict === 'bad' && row.id in lacks ? { ...verdict, text: lacks[row.id] } : verdict
  })
  const versions = packages.map((one) => [one, read(`./node_modules/${one}/package.json`).version])
  const own = read('../../package.json')
  return { library, name, versions: versions.length > 0 ? versions : [[own.name, own.version]], verdicts, seen }
}

const rows = read('../../test/lab/rows.json')
const columns = []
for (const library of positionals.length > 0 ? positionals : all) columns.push(await column(library, rows))
const result = { date: new Date().toISOString().slice(0, 10), node: process.version, rows, columns }
writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`)
console.log(table(result))
if (values.write === true) {
  const url = new URL('../../docs/comparison.md', import.meta.url)
  writeFileSync(url, page(readFileSync(url, 'utf8'), result))
}
