// toolwire/restate: runs as workflows of Restate, for more than one machine.
export {
  type RestateRun,
  type RestateRunDetails,
  type RestateRunSummary,
  type RestateRuns,
  type RestateStart,
  restateRuns,
} from './runs.js'
export type { RestateServer } from './server.js'
export { type RestateInput, type RestateOptions, type RestateSettings, restateService } from './service.js'
