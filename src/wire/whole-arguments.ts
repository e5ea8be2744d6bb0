// Whether the arguments of a call are complete while they arrive. The text is followed from the first question on and parsed at most
// once, when its last brace has come: parsing it at every fragment would take time that grows with the square of its length.
import { createObjectEnd, type ObjectEnd } from '../json/object-end.js'
import { readArguments } from './arguments.js'

export interface GrowingArguments {
  /** The fragments so far. */
  text: string
  /** Follows the text, once somebody asked whether it is complete. */
  end?: ObjectEnd | undefined
  /** What parsing the closed object said. */
  parsed?: boolean | undefined
}

/** Adds a fragment to the arguments. */
export function addArguments(args: GrowingArguments, fragment: string): void {
  args.text += fragment
  args.end?.push(fragment)
}

/** Whether the arguments so far are a JSON object. */
export function areWhole(args: GrowingArguments): boolean {
  if (args.end === undefined) {
    args.end = createObjectEnd()
    args.end.push(args.text)
  }
  if (!args.end.isClosed()) return false
  args.parsed ??= readArguments(args.text) === 'object'
  return args.parsed
}
