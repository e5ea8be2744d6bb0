// The baseline: how long each test file takes, and which code it runs. Kept between runs; a test file is measured again when it has
// changed. Where a source has changed since, the test file is taken to run all of it.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const digest = (text) => createHash('sha1').update(text).digest('hex').slice(0, 16)

/** The text of every source or test below a folder, by its path. */
export function readTree(root, folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map(
    (name) => `${folder}/${name.replaceAll('\\', '/')}`,
  )
  return new Map(
    files.filter((file) => file.endsWith('.ts')).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )
}

/** Measures the test files that have no valid record yet. Returns all records by test file. */
export async function measureBaseline({ root, cache, worker, tests, sources, isFresh, log }) {
  const digests = new Map([...sources].map(([file, source]) => [file, digest(source)]))
  const recordFile = join(cache, 'baseline.json')
  const known = existsSync(recordFile) && !isFresh ? JSON.parse(readFileSync(recordFile, 'utf8')) : {}
  const records = {}
  const missing = []
  for (const test of tests) {
    const record = known[test]
    const isCurrent = record?.status === 'survived' && record.test === digest(readFileSync(join(root, test), 'utf8'))
    if (isCurrent) records[test] = record
    else missing.push(test)
  }
  const marksFolder = join(cache, 'marks')
  rmSync(marksFolder, { recursive: true, force: true })
  mkdirSync(marksFolder, { recursive: true })
  for (const [index, test] of missing.entries()) {
    records[test] = await measure(test)
    const { status, ms } = records[test]
    log(
      `baseline ${index + 1}/${missing.length}: ${test} ${ms} ms${status === 'survived' ? '' : ` FAILS: ${records[test].failure}`}`,
    )
    writeFileSync(recordFile, JSON.stringify({ ...known, ...records }))
  }
  // The next one transforms the sources without marks.
  if (missing.length > 0) worker.stop()
  return records

  async function measure(test) {
    const startsCommand = test.startsWith('test/cli/') || readFileSync(join(root, test), 'utf8').includes('/command.js')
    const result = await worker.ask({
      tests: [{ file: test, timeoutMs: 300_000 }],
      marksFolder,
      isCommand: startsCommand,
    })
    const own = join(marksFolder, `${test.replaceAll('/', '__')}.json`)
    const spawned = readdirSync(marksFolder).filter((name) => name.startsWith('spawned-'))
    const record = {
      test: digest(readFileSync(join(root, test), 'utf8')),
      status: result.status,
      failure: result.test ?? result.by,
      ms: result.ms,
      sources: withDigests(existsSync(own) ? [own] : []),
      spawned: withDigests(spawned.map((name) => join(marksFolder, name))),
    }
    for (const name of spawned) rmSync(join(marksFolder, name))
    return record
  }

  /** The marks of several processes as one. */
  function withDigests(files) {
    const merged = {}
    for (const file of files) {
      for (const [source, points] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
        const known = merged[source]?.points ?? []
        merged[source] = { digest: digests.get(source), points: [...new Set([...known, ...points])] }
      }
    }
    return merged
  }
}

/** Whether a test file runs a point of a source, as far as its record tells: in its own process, or in a command that it starts. */
export function runsPoint(ran, file, source, point) {
  const marks = ran?.[file]
  return marks !== undefined && (marks.digest !== digest(source) || marks.points.includes(point))
}
