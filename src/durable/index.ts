// toolwire/durable: runs that survive their process, on one machine.
export { checkRun, checkRuns, type RunCheck, type SalvagedRun, type SalvageOptions, salvageRun } from './check.js'
export { type FileJournalOptions, fileJournal } from './file-journal.js'
export type { LeaseWait } from './lease.js'
export {
  cancelRun,
  listRuns,
  type PruneOptions,
  pruneRuns,
  type RecordedRun,
  type RecordedStep,
  type RunStatus,
  type RunSummary,
  readRun,
} from './runs.js'
