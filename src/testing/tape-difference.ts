// What keeps a request from being one of those on a tape: the nearest of them, and the first place where the two differ.
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json } from '../json/types.js'
import { bodyValue, type TapedRequest } from './tape.js'

interface Difference {
  readonly path: string
  readonly recorded: Json | undefined
  readonly asked: Json | undefined
}

/** The nearest request of the tape, in words. */
export function nearestDifference(tape: readonly TapedRequest[], asked: TapedRequest): string {
  if (tape.length === 0) return 'the tape is empty'
  const same = tape.flatMap((request, index) =>
    request.method === asked.method && request.path === asked.path ? [{ request, index }] : [],
  )
  if (same.length === 0) {
    const known = [...new Set(tape.map(({ method, path }) => `${method} ${path}`))].join(', ')
    return `it has only ${known}`
  }
  const value = bodyValue(asked.body)
  const found = same.map(({ request, index }) => ({ index, list: differences(bodyValue(request.body), value, '') }))
  const [nearest] = found.toSorted((one, other) => one.list.length - other.list.length)
  const [first] = nearest?.list ?? []
  if (nearest === undefined || first === undefined) return 'an equal request differs in spelling only'
  const where = first.path === '' ? 'in the whole body' : `at ${first.path}`
  return `the nearest, exchange ${nearest.index + 1}, differs ${where}: recorded ${shown(first.recorded)}, asked ${shown(first.asked)}`
}

function differences(recorded: Json | undefined, asked: Json | undefined, path: string): readonly Difference[] {
  if (recorded === asked) return []
  const isPair = isContainer(recorded) && isContainer(asked) && Array.isArray(recorded) === Array.isArray(asked)
  if (!isPair) return [{ path, recorded, asked }]
  const [before, after] = [new Map(Object.entries(recorded)), new Map(Object.entries(asked))]
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].flatMap((key) => differences(before.get(key), after.get(key), at(path, key)))
}

function isContainer(value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } {
  return Array.isArray(value) || isJsonObject(value)
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`
}
