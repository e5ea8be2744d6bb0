// toolwire/dbos: runs as workflows of DBOS on PostgreSQL, for more than one machine.
export {
  type DbosInput,
  type DbosOptions,
  type DbosRun,
  type DbosRunSummary,
  type DbosRuns,
  type DbosStart,
  dbosRuns,
} from './runs.js'
