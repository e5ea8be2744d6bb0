// One client through the gateway onto one wire, in a home and a folder of its own: prompt, call, its result, answer.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('node_modules', import.meta.url))
const prompt = 'Copy secret.txt to copy.txt with a shell command, then tell me what the file says.'

/** What became of it: `problem` is undefined when all went well. */
export async function runCell({ agent, wire, gateway, upstream, proxy, key, folder, limitMs }) {
  const secret = `grün-${randomBytes(8).toString('hex')}`
  const place = prepare(join(folder, `${agent.id}-${wire}`), agent, { url: gateway.url, key }, secret)
  const from = upstream.requests.length
  gateway.newRecords()
  proxy.newHosts()
  const started = Date.now()
  const ended = await run(agent, place, { ...proxy.env, ...agent.env({ url: gateway.url, key }) }, limitMs)
  const requests = upstream.requests.slice(from)
  const records = gateway.newRecords()
  writeFileSync(join(place.logs, 'output.txt'), ended.output)
  writeFileSync(
    join(place.logs, 'requests.json'),
    JSON.stringify(
      requests.map(({ raw }) => raw),
      undefined,
      2,
    ),
  )
  writeFileSync(join(place.logs, 'gateway.json'), JSON.stringify(records, undefined, 2))
  return {
    agent,
    wire,
    seconds: (Date.now() - started) / 1000,
    losses: [...new Set(records.flatMap(({ losses = [] }) => losses.map((loss) => loss.split(' ', 1)[0])))],
    hosts: proxy.newHosts(),
    problem: problemOf({ ended, secret, place, requests, records, wire }),
  }
}

function prepare(folder, agent, access, secret) {
  const place = { home: join(folder, 'home'), work: join(folder, 'work'), logs: join(folder, 'logs') }
  for (const part of Object.values(place)) mkdirSync(part, { recursive: true })
  writeFileSync(join(place.work, 'secret.txt'), `${secret}\n`)
  for (const [name, text] of Object.entries(agent.files(access))) {
    const file = join(place.home, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return place
}

/** Sees no variable of this process but the path to programs, and no home but its own. */
function run({ command, args }, { home, work }, access, limitMs) {
  const program = join(modules, command)
  if (!existsSync(program)) return { isMissing: true, output: '' }
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    ...access,
  }
  const [file, first] = /\.[cm]?js$/.test(program) ? [process.execPath, [program]] : [program, []]
  const child = spawn(file, [...first, ...args(prompt)], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise((resolve) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      endGroup(child.pid)
    }, limitMs)
    const end = (code) => {
      clearTimeout(timer)
      endGroup(child.pid) // what it left running
      resolve({ code, output, isLate })
    }
    child.on('error', ({ message }) => {
      output += message
      end(-1)
    })
    child.on('close', end)
  })
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}

function problemOf({ ended, secret, place, requests, records, wire }) {
  if (ended.isMissing) return 'it is not installed for this platform'
  const refusal = requests.find((request) => request.refusal !== undefined)?.refusal
  if (refusal !== undefined) return `the provider refused: ${refusal}`
  const failed = records.find(({ status, error = 'aborted' }) => status >= 400 || error !== 'aborted') // it may leave when it is done
  if (failed !== undefined)
    return `the gateway answered ${failed.status} to ${failed.method} ${failed.path}: ${failed.msg ?? failed.error}`
  if (ended.isLate) return 'it did not end in time'
  if (!requests.every((request) => request.wire === wire)) return 'another wire was asked'
  const copy = join(place.work, 'copy.txt')
  if (!existsSync(copy) || readFileSync(copy, 'utf8').trim() !== secret) return 'the tool was not run'
  if (ended.code !== 0) return `it ended with ${ended.code}`
  return ended.output.includes(secret) ? undefined : 'the answer did not arrive'
}
