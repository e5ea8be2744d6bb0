// Makes a release: `node scripts/release.mjs minor` says what would happen and what stands in the way, and changes nothing.
// With --dry-run it also checks the package and lists what it would hold, whatever stands in the way of publishing it.
// With --publish it tests, writes version and changelog, commits, publishes with provenance, which only a CI job can do, and tags.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('--'))
const isDry = flags.includes('--dry-run')
const [bump = isDry ? 'patch' : ''] = words.filter((word) => !word.startsWith('--'))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const version = nextVersion(manifest.version, bump)
const changes = /^## \[Unreleased\]\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog)?.[1]?.trim() ?? ''

const noRepository =
  'package.json names no repository: there is no public host yet, and provenance ties a package to one; name it there first'
const misuses = told([
  [version === undefined, `"${bump}" is no release; give patch, minor, major or a version above ${manifest.version}`],
  [flags.some((flag) => !['--publish', '--dry-run'].includes(flag)), 'the options are --dry-run and --publish'],
  [isDry && flags.includes('--publish'), 'choose one of --dry-run and --publish'],
])
const obstacles = told([
  [changes === '', 'CHANGELOG.md says nothing under [Unreleased]'],
  [manifest.repository === undefined, noRepository],
  [output('git', 'status', '--porcelain') !== '', 'there are changes that are not committed'],
  [output('git', 'branch', '--show-current') !== 'main', 'this is not the branch main'],
  [output('git', 'tag', '--list', `v${version}`) !== '', `the tag v${version} exists`],
  [!hasIdentity(process.env), 'there is no identity token; provenance is signed in a CI job that may ask for one'],
])

process.stdout.write(`${manifest.name} ${manifest.version} → ${version ?? '?'}\n\n${changes}\n`)
const inTheWay = [...misuses, ...obstacles]
if (inTheWay.length > 0) process.stderr.write(`\nin the way:\n${inTheWay.map((text) => `- ${text}`).join('\n')}\n`)
if (misuses.length > 0) process.exitCode = 1
else if (isDry) rehearse()
else if (obstacles.length > 0) process.exitCode = 1
else if (flags.includes('--publish')) release()
else process.stdout.write('\nnothing stands in the way; --publish makes the release\n')

/** What can be shown without writing, committing or publishing anything. */
function rehearse() {
  step('npm', 'run', '--silent', 'build')
  step('npm', 'run', '--silent', 'package')
  step('npm', 'pack', '--dry-run')
  const end = obstacles.length === 0 ? 'nothing stands in its way' : 'what stands in its way is told above'
  process.stdout.write(`\ndry run: the package of ${version} is sound; nothing was changed or published; ${end}\n`)
}

function release() {
  step('npm', 'test')
  step('npm', 'run', '--silent', 'package')
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync('CHANGELOG.md', changelog.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - ${day}`))
  replaceVersion('package.json')
  if (existsSync('package-lock.json')) replaceVersion('package-lock.json')
  step('git', 'commit', '--all', '--message', `Release ${version}`)
  step('npm', 'publish', '--provenance', '--access', 'public')
  // Last: a tag says that the version is out.
  step('git', 'tag', `v${version}`)
  process.stdout.write(`\npublished ${version}; push the commit and the tag\n`)
}

/** In a lock file the package's own version stands twice, in front of all others. */
function replaceVersion(file) {
  const own = `"version": "${manifest.version}"`
  const json = JSON.parse(readFileSync(file, 'utf8'))
  const times = json.packages?.['']?.version === undefined ? 1 : 2
  let text = readFileSync(file, 'utf8')
  for (let done = 0; done < times; done++) text = text.replace(own, `"version": "${version}"`)
  writeFileSync(file, text)
}

function nextVersion(current, asked) {
  const [major, minor, patch] = current.split('.').map(Number)
  const next = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] }
  if (Object.hasOwn(next, asked)) return next[asked].join('.')
  if (!/^\d+\.\d+\.\d+$/.test(asked)) return undefined
  return asked.localeCompare(current, 'en', { numeric: true }) > 0 ? asked : undefined
}

/** Whether the job may ask for a token that says who it is: GitHub's way, or one handed in. */
function hasIdentity(env) {
  return [env.ACTIONS_ID_TOKEN_REQUEST_URL, env.SIGSTORE_ID_TOKEN].some((value) => value !== undefined && value !== '')
}

/** The texts of what stands. */
function told(list) {
  return list.flatMap(([stands, text]) => (stands ? [text] : []))
}

function output(command, ...args) {
  return spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? ''
}

/** Shows what it does; a step that fails ends the release. */
function step(command, ...args) {
  process.stdout.write(`\n$ ${command} ${args.join(' ')}\n`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === 0) return
  process.stderr.write(`${command} failed; nothing after it was done\n`)
  process.exit(1)
}
