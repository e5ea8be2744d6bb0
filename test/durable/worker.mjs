// A process that takes a durable run as far as it may. Arguments: folder, turns, and where to die; prints what came of it.
import { takeUp } from './mortal.mjs'

const [folder, turns, where] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdout.write(JSON.stringify(await takeUp(folder, Number(turns), where)))
