// What may happen to runs on Restate, one function each. Gives what went wrong, in words, and figures.
import { restateRuns } from '../../dist/restate/index.js'
import { codeOf, faultsOf, hasBegun, inPlace, input, refusedApprovals, told, until } from '../engines/executor.mjs'
import { startBalancer } from './balancer.mjs'
import { freePort } from './server.mjs'

/** A place with a client, and workers that are told by their ports. */
const onRestate = (restate, work) =>
  inPlace(new URL('./worker.mjs', import.meta.url), {}, (place) =>
    work({
      place,
      runs: restateRuns('agent', restate),
      worker: (port, env = {}) => place.executor(`worker-${port}`, { PORT: String(port), ...env }),
    }),
  )

const resultOf = async (runs, runId) => told(await runs.get(runId).result())

/** Killed while its calls run, and started again at the same address: the run goes on by itself. */
export const workerKill = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const port = await freePort()
    const first = await worker(port)
    await restate.register(port)
    const { runId } = await runs.start(input(3, 400))
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await first.kill()
    const killedAt = Date.now()
    await worker(port)
    const result = await resultOf(runs, runId)
    const doubted = result.inDoubt.length === 2 ? [] : [`${result.inDoubt.length} calls in doubt, not 2`]
    const faults = [...faultsOf(runId, 3, result, place.effects()), ...doubted]
    return { faults, inDoubt: result.inDoubt.length, msAfterKill: Date.now() - killedAt }
  })

/** The server dies in the middle of a run and comes back; the worker lives on, and its second attempt joins the first. */
export const serverKill = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const port = await freePort()
    await worker(port)
    await restate.register(port)
    const { runId } = await runs.start(input(4, 1500))
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await restate.kill()
    const killedAt = Date.now()
    await restate.start()
    const result = await resultOf(runs, runId)
    const joined = result.inDoubt.length === 0 ? [] : ['the attempts of one process did not join']
    const faults = [...faultsOf(runId, 4, result, place.effects()), ...joined]
    return { faults, inDoubt: result.inDoubt.length, msAfterKill: Date.now() - killedAt }
  })

/** Two workers behind one address; one is killed in the middle and comes back. */
export const twoWorkers = (restate, count = 100) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const started = Date.now()
    const ports = await Promise.all([freePort(), freePort()])
    const [first] = await Promise.all(ports.map((port) => worker(port)))
    const balancer = await startBalancer(ports)
    try {
      await restate.register(balancer.port)
      const ids = Array.from({ length: count }, () => crypto.randomUUID())
      await Promise.all(ids.map((runId) => runs.start(input(2, 20), { runId })))
      const paid = () => [...place.effects().keys()].filter((line) => line.startsWith('done pay')).length
      await until('some runs', () => paid() > count / 4)
      await first.kill()
      await worker(ports[0])
      const ended = await Promise.all(ids.map((runId) => resultOf(runs, runId)))
      const effects = place.effects()
      const text = JSON.stringify(ended)
      const shares = ports.map((port) => text.split(`done by worker-${port}`).length - 1)
      const shared = shares.every((share) => share > 0) ? [] : ['one worker did everything']
      return {
        faults: [...ended.flatMap((result, index) => faultsOf(ids[index], 2, result, effects)), ...shared],
        inDoubt: ended.reduce((sum, { inDoubt }) => sum + inDoubt.length, 0),
        runs: count,
        seconds: Math.round((Date.now() - started) / 100) / 10,
        shares: `${shares.join(' and ')} results`,
      }
    } finally {
      await balancer.stop()
    }
  })

/** A worker is cut off from the server while it lives: another goes on with the run, and the calls are in doubt for that one. */
export const splitBrain = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const ports = await Promise.all([freePort(), freePort()])
    await Promise.all(ports.map((port) => worker(port)))
    const balancer = await startBalancer(ports)
    try {
      await restate.register(balancer.port)
      const ids = Array.from({ length: 10 }, () => crypto.randomUUID())
      await Promise.all(ids.map((runId) => runs.start(input(2, 1000), { runId })))
      await Promise.all(ids.map((runId) => until('the first turn', hasBegun(place, `start pay ${runId}/1/call_1_pay`))))
      balancer.cut(ports[0])
      const ended = await Promise.all(ids.map((runId) => resultOf(runs, runId)))
      await new Promise((resolve) => setTimeout(resolve, 1500)) // what the worker that was cut off began is over now
      const effects = place.effects()
      return {
        faults: ended.flatMap((result, index) => faultsOf(ids[index], 2, result, effects)),
        inDoubt: ended.reduce((sum, { inDoubt }) => sum + inDoubt.length, 0),
        runs: ids.length,
      }
    } finally {
      await balancer.stop()
    }
  })

/** Calls that take longer than the server waits: it asks the attempt to end and starts another. */
export const longCalls = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const port = await freePort()
    await worker(port, { STEP_TIMEOUT_MS: '500' })
    await restate.register(port)
    const { runId } = await runs.start(input(2, 2000))
    const result = await resultOf(runs, runId)
    return { faults: faultsOf(runId, 2, result, place.effects()), inDoubt: result.inDoubt.length }
  })

/** Another program goes on with the run: its steps do not fit, and it is told so. */
export const changedProgram = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const port = await freePort()
    const first = await worker(port)
    await restate.register(port)
    const { runId } = await runs.start(input(3, 300))
    await until('the second turn', hasBegun(place, `start pay ${runId}/2/call_2_pay`))
    await first.kill()
    await worker(port, { MAX_TURNS: '1' })
    const error = await resultOf(runs, runId).then(({ stop }) => stop, codeOf)
    return { faults: error === 'journal_mismatch' ? [] : [`the change was not told: ${error}`], error }
  })

/** A run waits, is approved once, and altered approvals are refused; a cancelled run stops; runs are listed and shown. */
export const managing = (restate) =>
  onRestate(restate, async ({ place, runs, worker }) => {
    const faults = []
    const port = await freePort()
    await worker(port)
    await restate.register(port)
    const { runId } = await runs.start(input(1, 0, { approve: true }))
    const { stop, result } = await resultOf(runs, runId)
    if (stop !== 'needs_approval') faults.push(`it did not wait: ${stop}`)
    faults.push(...(await refusedApprovals(result, (answer) => runs.resume(answer.result, answer.approvals))))
    const [{ callId, digest }] = result.state.pending
    const goingOn = await runs.resume(result, { [callId]: { allow: digest } })
    faults.push(...faultsOf(runId, 1, await resultOf(runs, goingOn.runId), place.effects()))
    const replayed = await runs.resume(result, { [callId]: 'allow' }).then(() => 'nothing', codeOf)
    if (replayed !== 'misuse') faults.push(`a replayed approval was taken: ${replayed}`)

    const wrong = await runs.start({ prompt: 'go', approvals: { nobody: 'allow' } })
    const misuse = await wrong.result().then(() => 'nothing', codeOf)
    if (misuse !== 'misuse') faults.push(`misuse was told as ${misuse}`)

    await runs.start(input(1, 0), { runId })
    if (place.effects().get(`done pay ${runId}/1/call_1_pay`) !== 1) faults.push('an id that was used ran again')
    const { steps, status } = await runs.show(runId)
    const expected = ['turn/1/model', 'turn/1/intent', 'turn/1/call/0', 'turn/1/call/1', 'turn/1/call/2']
    if (status !== 'completed' || steps.join() !== expected.join()) faults.push(`shown as ${status}: ${steps.join()}`)

    const slow = await runs.start(input(1, 60_000))
    await until('the slow call', hasBegun(place, `start pay ${slow.runId}/1/call_1_pay`))
    await runs.cancel(slow.runId)
    const cancelled = await slow.result().then(() => 'nothing', codeOf)
    if (cancelled !== 'aborted') faults.push(`not cancelled: ${cancelled}`)
    const again = await runs.cancel(slow.runId).then(() => 'nothing', codeOf)
    if (again !== 'misuse') faults.push(`cancelled twice: ${again}`)
    const listed = (await runs.list({ limit: 4 })).map((entry) => [entry.runId, entry.status, entry.isSuccess])
    const last = [
      [slow.runId, 'completed', false],
      [wrong.runId, 'completed', false],
      [goingOn.runId, 'completed', true],
      [runId, 'completed', true],
    ]
    if (JSON.stringify(listed) !== JSON.stringify(last)) faults.push(`listed: ${JSON.stringify(listed)}`)
    const missing = await runs
      .get('nobody')
      .result()
      .then(() => 'nothing', codeOf)
    if (missing !== 'not_found') faults.push(`a run nobody started: ${missing}`)
    return { faults }
  })
