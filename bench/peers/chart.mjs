// A bar chart of CPU against the floor, as SVG. node chart.mjs results.json [wire] > chart.svg
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const charts = [
  ['A', 'chat', 'A. one call'],
  ['B', '2000', 'B. text deltas'],
  ['C', '200k', 'C. 200 kB of arguments'],
  ['D', '50', 'D. 50 rounds of tools'],
]
const longest = 10
const size = { label: 130, bar: 260, row: 18, gap: 34 }

function rowsOf(scenario = {}, key, wire) {
  return Object.entries(scenario)
    .filter(([name]) => name.endsWith(`/${wire}`))
    .map(([name, value]) => ({ name: name.slice(0, name.lastIndexOf('/')), ratio: value[key]?.ratioCpu?.median }))
    .filter(({ ratio }) => Number.isFinite(ratio))
    .sort((a, b) => a.ratio - b.ratio)
}

function bar({ name, ratio }, y) {
  const width = (Math.min(ratio, longest) / longest) * size.bar
  const fill = name === 'toolwire' ? '#0a7d5a' : name.startsWith('raw-') ? '#b8bec6' : '#5b6b7d'
  const text = `${ratio.toFixed(2)}${ratio > longest ? ' (cut)' : ''}`
  return [
    `<text x="${size.label - 8}" y="${y + 12}" text-anchor="end">${name}</text>`,
    `<rect x="${size.label}" y="${y + 2}" width="${width.toFixed(1)}" height="13" fill="${fill}"/>`,
    `<text x="${(size.label + width + 6).toFixed(1)}" y="${y + 12}">${text}</text>`,
  ].join('')
}

/** The chart of one wire. */
export function chart(results, wire) {
  const parts = []
  let y = 24
  for (const [scenario, key, title] of charts) {
    const rows = rowsOf(results[scenario], key, wire)
    if (rows.length === 0) continue
    parts.push(`<text x="0" y="${y}" font-weight="bold">${title}, ${wire}: CPU, raw fetch = 1</text>`)
    y += 8
    for (const row of rows) {
      parts.push(bar(row, y))
      y += size.row
    }
    y += size.gap
  }
  const width = size.label + size.bar + 90
  const frame = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}"`
  const ground = '<rect width="100%" height="100%" fill="#fff"/>'
  return `<svg ${frame} font-family="sans-serif" font-size="11">${ground}${parts.join('')}</svg>\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = 'results.json', wire = 'openai'] = process.argv.slice(2)
  console.log(chart(JSON.parse(readFileSync(file, 'utf8')), wire))
}
