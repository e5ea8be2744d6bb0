// Who holds a run, and whether that process still lives: known only where it can be proved, which is on the same machine since the
// same start, in the same process namespace. Everywhere else only the lease tells.
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { threadId } from 'node:worker_threads'
import type { JsonObject } from '../json/types.js'

/** Enough of a process to tell on the same machine whether it still lives. */
export interface Owner {
  /** Different for every lease. */
  readonly token: string
  readonly host: string
  readonly pid: number
  readonly thread: number
  /** Changes when the machine starts anew; absent where the system has no such id. */
  readonly boot?: string
  /** The process namespace, in which the process id is unique. */
  readonly namespace?: string
  /** When the process started, in the system's own unit. */
  readonly started?: string
}

/** The tokens of the leases that this thread holds, also through another copy of this package. */
const held = findHeld()

function findHeld(): Set<string> {
  const key = Symbol.for('toolwire.durable.held')
  const all = globalThis as { [key]?: Set<string> }
  all[key] ??= new Set()
  return all[key]
}

export function createOwner(): Owner {
  const token = crypto.randomUUID()
  held.add(token)
  return { token, ...identifyProcess() }
}

export function forgetOwner(owner: Owner): void {
  held.delete(owner.token)
}

/** `unknown` when neither life nor death can be proved from here. */
export function checkOwner(owner: Owner): 'alive' | 'gone' | 'unknown' {
  if (held.has(owner.token)) return 'alive'
  const { host, boot, namespace, started, pid } = identifyProcess()
  if (boot === undefined || owner.boot !== boot || owner.host !== host) return 'unknown'
  if (namespace === undefined || owner.namespace !== namespace) return 'unknown'
  if (owner.pid === pid && owner.started === started) return owner.thread === threadId ? 'gone' : 'unknown'
  if (!hasProcess(owner.pid)) return 'gone'
  if (!showsOwnNamespace(pid)) return 'unknown'
  const fields = readStat(String(owner.pid))
  if (fields === undefined || owner.started === undefined) return 'unknown'
  // a zombie has ended; its parent has not noticed yet
  return fields[0] === 'Z' || fields[19] !== owner.started ? 'gone' : 'alive'
}

/** The owner in parsed JSON; undefined when it isn't one. */
export function parseOwner(json: JsonObject): Owner | undefined {
  const { token, host, pid, thread, boot, namespace, started } = json
  if (typeof token !== 'string' || typeof host !== 'string' || typeof thread !== 'number') return undefined
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  return {
    token,
    host,
    pid,
    thread,
    ...(typeof boot === 'string' ? { boot } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof started === 'string' ? { started } : {}),
  }
}

function identifyProcess(): Omit<Owner, 'token'> {
  const boot = readFirstLine('/proc/sys/kernel/random/boot_id')
  const namespace = readLink('/proc/self/ns/pid')
  const started = readStat('self')?.[19]
  return {
    host: hostname(),
    pid: process.pid,
    thread: threadId,
    ...(boot === undefined ? {} : { boot }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(started === undefined ? {} : { started }),
  }
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Whether /proc numbers processes as this one does; after `unshare --pid` alone it shows those of the parent. */
function showsOwnNamespace(pid: number): boolean {
  return readLink('/proc/self') === String(pid)
}

/** The fields of the process's line behind its name, which may hold spaces and parentheses: the state, then numbers. */
function readStat(process: string): readonly string[] | undefined {
  const line = readFirstLine(`/proc/${process}/stat`)
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')
}

function readFirstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]
  } catch {
    return undefined
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
