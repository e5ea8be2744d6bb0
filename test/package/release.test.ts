// scripts/release.mjs in a repository of its own, with an `npm` that only writes down what it was asked.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanEnvironment, temporaryFolder } from '../cli/command.js'
import { root } from '../layers/source.js'

const identity = { SIGSTORE_ID_TOKEN: 'a token' }

function repository(unreleased = '### Added\n\n- A thing.\n') {
  const folder = temporaryFolder()
  const project = join(folder, 'project')
  const bin = join(folder, 'bin')
  for (const path of [project, bin]) mkdirSync(path)
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$*" >> "${join(folder, 'asked')}"\n[ "$1" != "$REFUSE" ]\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  const manifest = { name: 'thing', version: '0.1.0', repository: 'here', dependencies: { other: '0.1.0' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, null, 2))
  writeFileSync(
    join(project, 'CHANGELOG.md'),
    `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n## [0.1.0]\n\n- Before.\n`,
  )
  const author = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
  const env = cleanEnvironment({ ...author, PATH: `${bin}:${process.env.PATH}` })
  const git = (...args: string[]) => spawnSync('git', args, { cwd: project, env, encoding: 'utf8' }).stdout.trim()
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  const release = (args: readonly string[], extra: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [join(root, 'scripts/release.mjs'), ...args], {
      cwd: project,
      env: { ...env, ...extra },
      encoding: 'utf8',
    })
  const read = (path: string) => readFileSync(join(project, path), 'utf8')
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  return { release, read, asked, git, project }
}

test('plain it says what would happen, and changes nothing', () => {
  const { release, git } = repository()
  const { status, stdout, stderr } = release(['minor'], identity)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('thing 0.1.0 → 0.2.0')
  expect(stdout).toContain('- A thing.')
  expect(git('status', '--porcelain')).toBe('')
  expect(git('tag')).toBe('')
})

test.each([
  [['smaller'], identity, 'is no release'],
  [['0.0.9'], identity, 'is no release'],
  [['minor', '--force'], identity, 'the options are --dry-run and --publish'],
  [['minor', '--publish', '--dry-run'], identity, 'choose one'],
  [['smaller', '--dry-run'], identity, 'is no release'],
  [['minor', '--publish'], {}, 'no identity token'],
])('%j is refused', (args, env, reason) => {
  const { release, git } = repository()
  const { status, stderr } = release(args, env)
  expect(status).toBe(1)
  expect(stderr).toContain(reason)
  expect(git('log', '--format=%s')).toBe('Begin')
})

test('without changes in the changelog, or with changes that are not committed, there is no release', () => {
  expect(repository('').release(['patch'], identity).stderr).toContain('nothing under [Unreleased]')
  const { release, project } = repository()
  writeFileSync(join(project, 'new.txt'), '')
  expect(release(['patch'], identity).stderr).toContain('not committed')
})

test('a dry run checks the package wherever it is, says what stands in the way, and changes nothing', () => {
  const { release, asked, git } = repository()
  const { status, stdout, stderr } = release(['--dry-run'], {})
  expect(status).toBe(0)
  expect(asked()).toEqual(['run --silent build', 'run --silent package', 'pack --dry-run'])
  expect(stderr).toContain('no identity token')
  expect(stdout).toContain('thing 0.1.0 → 0.1.1')
  expect(stdout).toContain('what stands in its way is told above')
  expect(git('status', '--porcelain') + git('tag')).toBe('')
  expect(release(['--dry-run'], { REFUSE: 'pack' }).status).toBe(1)
})

test('without a repository in package.json a release is refused, and told what to do', () => {
  const { release, project, git } = repository()
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'thing', version: '0.1.0' }))
  git('commit', '--all', '--quiet', '--message', 'No host')
  const { status, stderr } = release(['minor', '--publish'], identity)
  expect(status).toBe(1)
  expect(stderr).toContain('there is no public host yet')
})

test('published: tested first, version and changelog written, committed, published with provenance, tagged', () => {
  const { release, read, asked, git } = repository()
  const { status } = release(['1.0.0', '--publish'], identity)
  expect(status).toBe(0)
  expect(asked()).toEqual(['test', 'run --silent package', 'publish --provenance --access public'])
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.0.0', dependencies: { other: '0.1.0' } })
  expect(read('CHANGELOG.md')).toMatch(
    /## \[Unreleased\]\n\n## \[1\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n\n- A thing\./,
  )
  expect(git('log', '--format=%s', '--max-count=1')).toBe('Release 1.0.0')
  expect(git('tag')).toBe('v1.0.0')
})

test('a step that fails ends it: nothing is published when the tests fail, nothing tagged when it is not published', () => {
  const untested = repository()
  expect(untested.release(['minor', '--publish'], { ...identity, REFUSE: 'test' }).status).toBe(1)
  expect(untested.asked()).toEqual(['test'])
  expect(untested.git('status', '--porcelain')).toBe('')
  const unpublished = repository()
  expect(unpublished.release(['minor', '--publish'], { ...identity, REFUSE: 'publish' }).status).toBe(1)
  expect(unpublished.git('tag')).toBe('')
})
