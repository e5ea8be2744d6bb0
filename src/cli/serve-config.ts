// The config file of a gateway that runs: read at the start, and again whenever it changes. A bad file changes nothing.
// The trap: what is mounted into a container is a link to a link, and a change of it stirs neither the file nor its folder.
import { existsSync, type FSWatcher, readFileSync, unwatchFile, watch, watchFile } from 'node:fs'
import { dirname, resolve } from 'node:path'
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

/** A config file and the text that was read of it last. */
export class ConfigFile {
  readonly file: string
  readonly #env: Environment
  #text: string | undefined

  constructor(file: string, env: Environment) {
    this.file = file
    this.#env = env
  }

  load(): GatewayConfig {
    this.#text = textOf(this.file)
    if (this.#text !== undefined) return readConfig(this.#text, (name) => this.#env[name])
    throw new ToolwireError('misuse', `cannot read the config ${this.file}; check --config`)
  }

  /**
   * Calls `changed` when the file says something else than what was read last, until what is returned is called. The folder
   * tells at once; behind links, and where the folder itself is replaced, a look now and then does.
   */
  watch(changed: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let seen = this.#text
    const look = (): void => {
      timer = undefined
      const text = textOf(this.file)
      if (text === this.#text) return
      if (text === seen) changed()
      else stirred()
      seen = text
    }
    const stirred = (): void => {
      timer ??= setTimeout(look, quietMs)
    }
    watchFile(this.file, { interval: lookMs }, stirred)
    const folder = folderWatcher(this.file, stirred)
    return () => {
      folder?.close()
      unwatchFile(this.file, stirred)
      clearTimeout(timer)
    }
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Editors write a file in several steps, or put another in its place: what it says must stay so long. The quiet of the folder is
 * not waited for: a log may be written there.
 */
const quietMs = 100
const lookMs = 1_000

/** Nothing where the system watches no more folders: the file is looked at all the same. */
function folderWatcher(file: string, stirred: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(file), stirred)
    return watcher.on('error', () => watcher.close())
  } catch {
    return undefined
  }
}
