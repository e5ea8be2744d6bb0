// What may happen to runs on DBOS, one function each. Gives what went wrong, in words, and figures.
import { codeOf, faultsOf, hasBegun, input, refusedApprovals, until } from '../engines/executor.mjs'
import { inPlace } from './place.mjs'

/** Killed while its calls run, and started again under the same name: the run goes on by itself. */
export const workerKill = ({ url }) =>
  inPlace(url, async (place) => {
    const runId = crypto.randomUUID()
    const first = await place.executor('kill')
    await first.ask('start', { input: input(3, 400), options: { runId } })
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await first.kill()
    const killedAt = Date.now()
    const second = await place.executor('kill')
    const result = await second.ask('result', { runId })
    const doubted = result.inDoubt.length === 2 ? [] : [`${result.inDoubt.length} calls in doubt, not 2`]
    const faults = [...faultsOf(runId, 3, result, place.effects()), ...doubted]
    return { faults, inDoubt: result.inDoubt.length, msAfterKill: Date.now() - killedAt }
  })

/** Killed, and taken over by an executor of another name. */
export const takeOver = ({ url }) =>
  inPlace(url, async (place) => {
    const runId = crypto.randomUUID()
    const [lost, other] = await Promise.all([place.executor('lost'), place.executor('other')])
    await lost.ask('start', { input: input(2, 300), options: { runId } })
    await until('the first turn', hasBegun(place, `start pay ${runId}/1/call_1_pay`))
    await lost.kill()
    const taken = await other.ask('takeOver', { executors: ['lost'] })
    const result = await other.ask('result', { runId })
    const faults = taken.includes(runId) ? [] : ['the run was not taken over']
    return { faults: [...faults, ...faultsOf(runId, 2, result, place.effects())], inDoubt: result.inDoubt.length }
  })

/** Taken over although its executor lives: attempts of one process join, in another one the calls are in doubt. */
export const splitBrain = ({ url }) =>
  inPlace(url, async (place) => {
    const alive = await place.executor('alive')
    const takenOver = async () => {
      const runId = crypto.randomUUID()
      await alive.ask('start', { input: input(2, 2000), options: { runId } })
      await until('the first turn', hasBegun(place, `start pay ${runId}/1/call_1_pay`))
      await alive.ask('takeOver', { executors: ['alive'] })
      const result = await alive.ask('result', { runId })
      return { faults: faultsOf(runId, 2, result, place.effects()), inDoubt: result.inDoubt.length }
    }
    const joined = await takenOver()
    const isJoined = joined.inDoubt === 0 ? [] : ['the attempts of one process did not join']
    await place.executor('second') // either of the two takes it now
    const second = await takenOver()
    return {
      faults: [...joined.faults, ...isJoined, ...second.faults],
      inDoubt: `${joined.inDoubt} in one process, ${second.inDoubt} with two`,
    }
  })

/** Two executors share a queue of runs; one is killed in the middle and comes back. */
export const queue = (postgres, count = 100) =>
  inPlace(postgres.url, async (place) => {
    const started = Date.now()
    const [first, second] = await Promise.all([place.executor('one'), place.executor('two')])
    const ids = Array.from({ length: count }, () => crypto.randomUUID())
    for (const runId of ids) await first.ask('start', { input: input(2, 5), options: { runId, queue: 'agents' } })
    const results = second
    await until(
      'some runs',
      () => [...place.effects().keys()].filter((line) => line.startsWith('done pay')).length > count / 4,
    )
    await first.kill()
    await place.executor('one')
    const ended = await Promise.all(ids.map((runId) => results.ask('result', { runId })))
    const effects = place.effects()
    const shares = new Map()
    for (const { executor } of await second.ask('list', { filter: { limit: 10_000 } }))
      shares.set(executor, (shares.get(executor) ?? 0) + 1)
    return {
      faults: ended.flatMap((result, index) => faultsOf(ids[index], 2, result, effects)),
      inDoubt: ended.reduce((sum, { inDoubt }) => sum + inDoubt.length, 0),
      runs: count,
      seconds: Math.round((Date.now() - started) / 100) / 10,
      shares: [...shares]
        .filter(([name]) => name === 'one' || name === 'two')
        .map(([name, runs]) => `${name} ${runs}`)
        .join(', '),
    }
  })

/** PostgreSQL dies in the middle of a run and comes back; the executor lives on. */
export const databaseKill = (postgres) =>
  inPlace(postgres.url, async (place) => {
    const runId = crypto.randomUUID()
    const executor = await place.executor('database')
    await executor.ask('start', { input: input(4, 300), options: { runId } })
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await postgres.kill()
    const killedAt = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await postgres.start()
    const result = await executor.ask('result', { runId })
    return {
      faults: faultsOf(runId, 4, result, place.effects()),
      inDoubt: result.inDoubt.length,
      msAfterKill: Date.now() - killedAt,
    }
  })

/** Another program goes on with the run: its steps do not fit, and it is told so. */
export const changedProgram = ({ url }) =>
  inPlace(url, async (place) => {
    const runId = crypto.randomUUID()
    const first = await place.executor('changed', { EXTRA_STEP: '1' })
    await first.ask('start', { input: input(2, 400), options: { runId } })
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await first.kill()
    const second = await place.executor('changed')
    const { error } = await second.ask('result', { runId })
    return { faults: error === 'journal_mismatch' ? [] : [`the change was not told: ${error}`], error }
  })

/** A run waits, is approved by another process, and the approval counts once; a cancelled run stops; a forked one runs again. */
export const managing = ({ url }) =>
  inPlace(url, async (place) => {
    const faults = []
    const executor = await place.executor('manager')
    const runId = await executor.ask('start', {
      input: input(1, 0, { approve: true }),
      options: { runId: crypto.randomUUID() },
    })
    const waiting = await executor.ask('result', { runId })
    if (waiting.stop !== 'needs_approval') faults.push(`it did not wait: ${waiting.stop}`)
    const { result } = waiting
    const [{ callId, digest }] = result.state.pending
    faults.push(...(await refusedApprovals(result, (answer) => executor.ask('resume', answer))))
    const goingOn = await executor.ask('resume', { result, approvals: { [callId]: { allow: digest } } })
    faults.push(...faultsOf(runId, 1, await executor.ask('result', { runId: goingOn }), place.effects()))
    const replayed = await executor.ask('resume', { result, approvals: { [callId]: 'allow' } }).catch(codeOf)
    if (replayed !== 'misuse') faults.push(`a replayed approval was taken: ${replayed}`)

    const slow = await executor.ask('start', { input: input(1, 60_000), options: {} })
    await until('the slow call', hasBegun(place, `start pay ${slow}/1/call_1_pay`))
    await executor.ask('cancel', { runId: slow })
    const cancelled = await executor.ask('result', { runId: slow }).catch(codeOf)
    if (cancelled !== 'aborted') faults.push(`not cancelled: ${JSON.stringify(cancelled)}`)

    const origin = await executor.ask('start', { input: input(1, 0), options: {} })
    await executor.ask('result', { runId: origin })
    const forked = await executor.ask('fork', { runId: origin, step: 'turn/1/intent' })
    faults.push(...faultsOf(forked, 1, await executor.ask('result', { runId: forked }), place.effects()))
    return { faults }
  })
