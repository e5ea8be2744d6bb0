// Follows every local link of the pages: the file must be there, and the place in it when one is named. Links to other hosts are not followed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const top = readdirSync(root).filter((name) => name.endsWith('.md'))
const pages = [...top, ...markdownBelow('docs'), ...markdownBelow('examples')]

let count = 0
const broken = []
for (const page of pages) {
  const links = proseOf(page)
    .replaceAll(/`[^`\n]*`/g, '')
    .matchAll(/\]\(([^()\s]+)\)/g)
  for (const [, target] of links) {
    if (/^[a-z][a-z+.-]*:/.test(target)) continue
    count += 1
    const problem = problemOf(page, target)
    if (problem !== undefined) broken.push(`${page}: ${target}: ${problem}`)
  }
}
if (broken.length > 0) {
  process.stderr.write(`links that lead nowhere:\n${broken.join('\n')}\n`)
  process.exit(1)
}
process.stdout.write(`links: ${count} local links of ${pages.length} pages resolve\n`)

function problemOf(page, target) {
  const [path, anchor] = target.split('#')
  const file = path === '' ? page : relative(root, join(root, dirname(page), decodeURIComponent(path)))
  if (file.startsWith('..') || !existsSync(join(root, file))) return 'there is no such file'
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  return anchorsOf(file).includes(anchor) ? undefined : 'there is no such place in it'
}

/** Where a link into a page may lead: the names that forges make of its headings, and those it gives itself. */
function anchorsOf(page) {
  const prose = proseOf(page)
  const own = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, name]) => name)
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...own, ...headings]
}

/** A page without its code. */
function proseOf(page) {
  const text = readFileSync(join(root, page), 'utf8')
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function markdownBelow(start) {
  return readdirSync(join(root, start), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}
