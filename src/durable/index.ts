// toolwire/durable: runs that survive their process, on one machine.
export { type FileJournalOptions, fileJournal } from './file-journal.js'
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
