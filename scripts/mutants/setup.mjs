// Runs in a test process before each test file. Ends a process that hangs, and writes which code the file ran when that is wanted.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, expect } from 'vitest'

const { timeouts, marksFolder, command } = JSON.parse(readFileSync(process.env.MUTANTS_PLAN, 'utf8'))
const file = relative(process.cwd(), expect.getState().testPath)

// Tests that start the command start the one with the mutant.
if (command !== undefined) process.env.TOOLWIRE_CLI = command

// A thread of its own: an endless loop would hold a timer of this one.
const watch = `const { parentPort } = require('node:worker_threads')
let timer
parentPort.on('message', (timeoutMs) => {
  clearTimeout(timer)
  timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), timeoutMs)
})`
if (timeouts[file] !== undefined) {
  if (globalThis.__watch === undefined) {
    globalThis.__watch = new Worker(watch, { eval: true, execArgv: [] })
    globalThis.__watch.unref()
  }
  globalThis.__watch.postMessage(timeouts[file])
}

if (marksFolder !== undefined) {
  const marks = new Map()
  globalThis.__marks = (source, count) => {
    const hits = new Uint8Array(count)
    hits[0] = 1
    marks.set(source, hits)
    return (point) => {
      hits[point] = 1
    }
  }
  afterAll(() => {
    const hits = [...marks].map(([source, all]) => [source, [...all.keys()].filter((point) => all[point] === 1)])
    const name = `${file.replaceAll('/', '__')}.json`
    writeFileSync(join(marksFolder, name), JSON.stringify(Object.fromEntries(hits)))
  })
}
