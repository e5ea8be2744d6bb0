// Processes that can't see each other over one folder: in process namespaces of their own, as in containers, and under another host
// name, as on a shared folder. Only the lease tells them apart; process ids and host names are the same or mean nothing.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { overtake, race, relay, type WorkerPlace } from './crash.mjs'

const turns = 2
const leaseMs = 600

const permitted = spawnSync('unshare', ['--pid', '--uts', '--fork', '--mount-proc', 'true'], { encoding: 'utf8' })
const isReal = permitted.status === 0
if (!isReal) {
  const why = permitted.error?.message ?? permitted.stderr
  console.warn(`no process namespaces here (${why.trim()}): two processes with invented namespaces take their place`)
}

// the shell is the first process of the namespace, which can't be killed from within
const container: WorkerPlace = {
  leaseMs,
  command: ['unshare', '--pid', '--fork', '--mount-proc', 'sh', '-c', '"$@"; exit $?', 'sh'],
}
const otherHost: WorkerPlace = {
  leaseMs,
  command: [
    'unshare',
    '--pid',
    '--uts',
    '--fork',
    '--mount-proc',
    'sh',
    '-c',
    'hostname elsewhere; "$@"; exit $?',
    'sh',
  ],
}
const invented: WorkerPlace = { leaseMs, imports: [new URL('./foreign.mjs', import.meta.url).pathname] }
const pairs: readonly (readonly [string, readonly WorkerPlace[]])[] = isReal
  ? [
      ['two process namespaces', [container, container]],
      ['two host names', [container, otherHost]],
    ]
  : [['two invented namespaces', [invented, invented]]]

/** What took effect twice, of what may not. */
const repeated = (effects: readonly string[]): readonly string[] => {
  const effectful = effects.filter((line) => !line.startsWith('look'))
  return effectful.filter((line, index) => effectful.indexOf(line) !== index)
}

test.each(pairs)(
  '%s: of two processes that begin a run at once, one has it, and no call is made twice',
  async (_, places) => {
    for (let round = 0; round < 2; round += 1) {
      const { results, effects } = await race(turns, places)
      const outcomes = results.map((result) => result?.error ?? result?.reason)
      expect(outcomes).toContain('answer')
      expect(outcomes.filter((outcome) => outcome !== 'answer' && outcome !== 'run_locked')).toEqual([])
      expect(repeated(effects)).toEqual([])
      expect(effects).toHaveLength(turns * 3)
    }
  },
)

test.each(pairs)(
  '%s: the run of a process that was killed is taken when its lease is over, and no call is repeated',
  async (_, places) => {
    for (const where of ['after:3', 'during:4']) {
      const { wasKilled, result, effects } = await relay(turns, where, places)
      expect([where, wasKilled, result?.reason, result?.answered]).toEqual([where, true, 'answer', turns * 3])
      expect([where, repeated(effects)]).toEqual([where, []])
    }
  },
)

test.each(pairs)(
  '%s: a process that is stopped at any step and loses its run records nothing and repeats nothing when it wakes',
  async (_, places) => {
    for (const step of [2, 3, 5]) {
      const { results, effects, status } = await overtake(turns, step, places)
      const [sleeper, other] = results
      expect([step, other?.reason, other?.answered]).toEqual([step, 'answer', turns * 3])
      expect([step, sleeper?.reason, sleeper?.error]).toEqual([step, 'error', 'run_locked'])
      expect([step, repeated(effects)]).toEqual([step, []])
      expect([step, status]).toEqual([step, 'done'])
    }
  },
)
