// Type-checks every `ts` code block of README.md and docs/**/*.md against the built package; `js` and `json` blocks must parse.
// Each block becomes one module; a block may continue the previous one of its page when it starts with `// continued`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, '.tmp', 'snippets')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const parsers = {
  js: (code) => transformSync(code, { loader: 'js', format: 'esm', logLevel: 'silent' }),
  json: JSON.parse,
}
const pages = ['README.md', 'CONTRIBUTING.md', ...markdownBelow('docs')]
let count = 0
let parsed = 0
for (const page of pages) {
  let previous = ''
  const text = readFileSync(join(root, page), 'utf8')
  for (const [, language, code] of text.matchAll(/^```(js|json)\n([\s\S]*?)^```/gm)) parse(page, language, code)
  for (const match of text.matchAll(/```ts\n([\s\S]*?)```/g)) {
    const code = match[1].startsWith('// continued') ? previous + match[1] : match[1]
    previous = code
    count += 1
    writeFileSync(join(folder, `${page.replaceAll('/', '-')}-${count}.ts`), `// ${page}\n${code}\nexport {}\n`)
  }
}
const config = {
  extends: '../../tsconfig.test.json',
  compilerOptions: { rootDir: '../..', noUnusedLocals: false, noUnusedParameters: false },
  include: ['./*.ts'],
  exclude: [],
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: root, encoding: 'utf8' })
if (run.status !== 0) {
  process.stderr.write(run.stdout + run.stderr)
  process.exit(1)
}
process.stdout.write(`snippets: ${count} code blocks of ${pages.length} pages compile, ${parsed} more parse\n`)

function parse(page, language, code) {
  try {
    parsers[language](code)
    parsed += 1
  } catch (error) {
    process.stderr.write(`${page}: this ${language} block does not parse: ${error.message}\n${code}`)
    process.exit(1)
  }
}

function markdownBelow(start) {
  return readdirSync(join(root, start), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}
