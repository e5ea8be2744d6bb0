// A process that takes a durable run as far as it may. Arguments: folder, turns, where to die, and the lease time; prints what came of it.
import { takeUp } from './mortal.mjs'

const [folder, turns, where, leaseMs = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdout.write(
  JSON.stringify(await takeUp(folder, Number(turns), where, leaseMs === '' ? undefined : Number(leaseMs))),
)
