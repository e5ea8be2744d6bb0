// The config file of a gateway that runs: read at the start, and again whenever it changes. A bad file changes nothing.
import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { ToolwireError } from '../errors/error.js'
import { type GatewayConfig, readConfig } from '../gateway/config.js'
import type { Environment } from './terminal.js'

/** Taken without being asked for when it lies in the current folder. */
export const usualFile = 'toolwire.config.json'

/** The file to use: the one that was named, else the usual one if there is one. */
export function configFile(named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named)
  return existsSync(usualFile) ? resolve(usualFile) : undefined
}

export function loadConfig(file: string, env: Environment): GatewayConfig {
  return readConfig(textOf(file), (name) => env[name])
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ToolwireError('misuse', `cannot read the config ${file}; check --config`, { cause })
  }
}

/** Editors write a file in several steps, or put another in its place: the folder is watched, and its quiet waited for. */
const quietMs = 100

/** Calls `changed` after each change of the file, until the watcher is closed. */
export function watchConfig(file: string, changed: () => void): FSWatcher {
  let timer: ReturnType<typeof setTimeout> | undefined
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  })
  return watcher.on('close', () => clearTimeout(timer))
}
