// Where executors on DBOS work: processes of worker.mjs on one database.
import { inPlace as inAnyPlace } from '../engines/executor.mjs'

export const inPlace = (url, work) => inAnyPlace(new URL('./worker.mjs', import.meta.url), { DBOS_URL: url }, work)

/** Makes the tables. Executors that start together on an empty database are in each other's way. */
export const prepare = ({ url }) => inPlace(url, (place) => place.executor('first'))
