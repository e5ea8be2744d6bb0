// The fuzzing run: seeded, bounded in time and count, with a shrunk input for the first fault of each sort.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutate } from './mutations.js'
import { randomness } from './randomness.js'
import { kinds, readSeeds } from './seeds.js'
import { faultOf, type Input } from './targets.js'

export interface FuzzOptions {
  /** The repository. */
  readonly root: string
  readonly seed: number
  readonly seconds: number
  readonly count?: number
  /** Told every few seconds, and of the case that is about to run. */
  readonly onProgress?: (cases: number, faults: number) => void
  readonly onCase?: (index: number) => void
}
export interface Fault {
  readonly input: Input
  readonly message: string
}
export interface FuzzReport {
  readonly cases: number
  readonly faults: readonly Fault[]
}

const mostFaults = 5

export function fuzz(options: FuzzOptions): FuzzReport {
  const seeds = readSeeds(options.root)
  const groups = new Map(kinds.map((kind) => [kind, seeds.filter((seed) => seed.kind === kind)]))
  const faults = new Map<string, Fault>()
  const end = Date.now() + options.seconds * 1000
  let told = Date.now()
  let cases = 0
  while (cases < (options.count ?? Infinity) && Date.now() < end && faults.size < mostFaults) {
    options.onCase?.(cases)
    const input = inputOf(groups, options.seed, cases)
    cases += 1
    const message = faultOf(input)
    if (message !== undefined && !faults.has(sortOf(message))) faults.set(sortOf(message), shrunk(input, message))
    if (Date.now() - told > 3000) {
      told = Date.now()
      options.onProgress?.(cases, faults.size)
    }
  }
  return { cases, faults: [...faults.values()] }
}

/** The input of one case: a pure function of the run's seed and the number of the case. */
export function inputOf(
  groups: ReadonlyMap<Input['kind'], ReturnType<typeof readSeeds>>,
  seed: number,
  index: number,
): Input {
  const random = randomness(seed ^ Math.imul(index + 1, 0x9e3779b1))
  const kind = random.pick(kinds)
  const group = groups.get(kind) ?? []
  const chosen = random.pick(group)
  const other = random.pick(group)
  const bytes = mutate(Buffer.from(chosen.text), Buffer.from(other.text), random)
  const wire = random.below(8) === 0 ? other.wire : chosen.wire
  return { wire, kind, bytes, seed: random.below(1_000_000) }
}

/** Faults of one sort happen at the same place. */
function sortOf(message: string): string {
  const [first = '', ...stack] = message.split('\n')
  return first.replace(/\d+/g, '#').slice(0, 80) + (stack.find((line) => line.includes('/src/')) ?? '')
}

/** The same fault with fewer bytes: pieces are taken out as long as it stays. */
function shrunk(input: Input, message: string): Fault {
  let best: Fault = { input, message }
  let tries = 0
  for (let size = Math.ceil(input.bytes.length / 2); size >= 1 && tries < 1500; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.input.bytes.length && tries < 1500; tries += 1) {
      const { bytes } = best.input
      const fewer = { ...input, bytes: Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + size)]) }
      const fault = message.startsWith('took') ? undefined : faultOf(fewer)
      if (fault !== undefined && sortOf(fault) === sortOf(message)) best = { input: fewer, message: fault }
      else from += size
    }
  }
  return best
}

const foundFolder = 'test/fuzz/found'

/** Keeps a fault as a fixture that every later test run replays. */
export function saveFault(root: string, { input, message }: Fault): string {
  const { wire, kind, bytes, seed } = input
  const name = `${wire}-${kind}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.json`
  const first = message.split('\n')[0]
  const record = { wire, kind, seed, message: first, text: bytes.toString('utf8'), base64: bytes.toString('base64') }
  mkdirSync(join(root, foundFolder), { recursive: true })
  writeFileSync(join(root, foundFolder, name), `${JSON.stringify(record, undefined, 2)}\n`)
  return join(foundFolder, name)
}

export function readFound(root: string): readonly { readonly name: string; readonly input: Input }[] {
  const folder = join(root, foundFolder)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { base64, ...rest } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Input & {
        readonly base64: string
      }
      return { name, input: { ...rest, bytes: Buffer.from(base64, 'base64') } }
    })
}
