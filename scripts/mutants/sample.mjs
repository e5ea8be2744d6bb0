// Draws mutants: the same ones for the same seed and the same sources.
import { findFolder } from './areas.mjs'
import { isValid, listMutations } from './mutations.mjs'

/** The generator mulberry32: numbers from 0 to 1. */
function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A number for a text. */
const hash = (text) => [...text].reduce((sum, character) => (Math.imul(sum, 31) + character.codePointAt(0)) | 0, 7)

function shuffle(list, random) {
  const shuffled = [...list]
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1))
    ;[shuffled[index], shuffled[other]] = [shuffled[other], shuffled[index]]
  }
  return shuffled
}

/** Line, column and the text of the line where a mutation begins. */
function locate(source, { start }) {
  const before = source.slice(0, start).split('\n')
  const line = before.length
  return { line, column: before.at(-1).length + 1, text: source.split('\n')[line - 1].trim() }
}

/** All mutations by folder. */
export function listAll(sources) {
  const folders = new Map()
  for (const [file, source] of sources) {
    const folder = findFolder(file)
    folders.set(folder, [...(folders.get(folder) ?? []), ...listMutations(file, source)])
  }
  return folders
}

/**
 * A sample over all folders, each in proportion to its number of mutations but with at least `least`. Mutations that do not parse are
 * replaced by others and counted.
 */
export function drawSample(sources, { seed, count, least = 4 }) {
  const folders = listAll(sources)
  const total = [...folders.values()].reduce((sum, { length }) => sum + length, 0)
  const mutants = []
  let invalid = 0
  for (const [folder, mutations] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const wanted = Math.min(mutations.length, Math.max(least, Math.round((count * mutations.length) / total)))
    // Each folder has numbers of its own, so that its sample stays the same when another folder changes.
    const random = createRandom(seed + hash(folder))
    let taken = 0
    for (const mutation of shuffle(mutations, random)) {
      if (taken === wanted) break
      const source = sources.get(mutation.file)
      if (!isValid(source, mutation)) {
        invalid += 1
        continue
      }
      taken += 1
      mutants.push({ folder, ...mutation, ...locate(source, mutation) })
    }
  }
  return { mutants: shuffle(mutants, createRandom(seed)), invalid, total }
}
