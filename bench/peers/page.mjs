// Writes the last run into docs/performance.md, between its markers, and the chart beside it. node page.mjs [results.json]
import { readFileSync, writeFileSync } from 'node:fs'
import { chart } from './chart.mjs'
import { report } from './report.mjs'

const results = JSON.parse(readFileSync(process.argv[2] ?? 'results.json', 'utf8'))
const docs = new URL('../../docs/', import.meta.url)
const page = new URL('performance.md', docs)
const [before, , after] = readFileSync(page, 'utf8').split(/<!-- run -->|<!-- end of run -->/)
if (after === undefined) throw new Error('docs/performance.md has no markers <!-- run --> and <!-- end of run -->')
writeFileSync(page, `${before}<!-- run -->\n\n${report(results)}\n<!-- end of run -->${after}`)
writeFileSync(new URL('performance.svg', docs), chart(results, 'openai'))
