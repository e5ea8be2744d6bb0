// The calls of a turn that wait for their results. A result names its call by id, by the name of its tool, or only by its order.
import { createPendingItems } from './pending-items.js'

export interface OpenCall {
  readonly id: string
  readonly name: string
  /** False when the request named no id, so that the id was made while reading. */
  readonly hadId?: boolean
}

/** Each `take` returns a call at most once, the earliest that matches. */
export interface OpenCalls {
  add(call: OpenCall): void
  takeFirst(): OpenCall | undefined
  /** Not a call whose id was made while reading. */
  takeById(id: string): OpenCall | undefined
  takeByName(name: string): OpenCall | undefined
  /** Only among the calls that came without an id. */
  takeWithoutId(name: string): OpenCall | undefined
}

const keys = {
  any: () => '',
  id: ({ id, hadId }: OpenCall) => (hadId === false ? undefined : id),
  name: ({ name }: OpenCall) => name,
  nameWithoutId: ({ name, hadId }: OpenCall) => (hadId === false ? name : undefined),
} as const

export function createOpenCalls(given: readonly OpenCall[] = []): OpenCalls {
  const calls = createPendingItems<OpenCall, keyof typeof keys>(given, keys)
  return {
    add: (call) => calls.add(call),
    takeFirst: () => calls.take('any', ''),
    takeById: (id) => calls.take('id', id),
    takeByName: (name) => calls.take('name', name),
    takeWithoutId: (name) => calls.take('nameWithoutId', name),
  }
}
