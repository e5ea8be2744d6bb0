// One thread of `npm run fuzz`: tells the main thread which case it is at, so that a case that never ends can be named.
import { parentPort, workerData } from 'node:worker_threads'
import { fuzz, saveFault } from './fuzzing.js'

const { root, seed, seconds, count, current } = workerData as {
  readonly root: string
  readonly seed: number
  readonly seconds: number
  readonly count: number
  readonly current: Int32Array<SharedArrayBuffer>
}

const report = fuzz({
  root,
  seed,
  seconds,
  count,
  onCase: (index) => {
    Atomics.store(current, 0, index)
  },
  onProgress: (cases, faults) => {
    parentPort?.postMessage({ type: 'progress', cases, faults })
  },
})
for (const fault of report.faults) {
  parentPort?.postMessage({ type: 'fault', file: saveFault(root, fault), message: fault.message })
}
parentPort?.postMessage({ type: 'done', cases: report.cases, faults: report.faults.length })
