// Names as segments of a URL's path. The trap: percent-encoding leaves `..` as it is, and servers and proxies resolve it, some
// only after they decoded the path once more. A name that could mean another path anywhere is rejected, not repaired.
import { ToolwireError } from '../errors/error.js'

/** Control characters, the other path separator, and what looks percent-encoded already. */
const unsafe = /[\p{Cc}\\]|%[\da-f]{2}/iu
/** What some server takes for the end of a segment. */
const separator = /[/;]/

/**
 * The name as exactly one segment of a path, percent-encoded. Throws `invalid_request` for a name that some server could read as
 * another path: empty or dot segments, control characters, backslashes, percent-encoded characters, half a surrogate pair.
 */
export function encodeSegment(name: string): string {
  if (!isSegmentSafe(name)) throw invalidName(name)
  return encodeURIComponent(name)
}

/** Compatibility forms count too: `．．` is `..` for a server that normalizes its paths. */
function isSegmentSafe(name: string): boolean {
  if (!name.isWellFormed() || unsafe.test(name)) return false
  return name
    .normalize('NFKC')
    .split(separator)
    .every((piece) => piece !== '' && !/^\.{1,2}$/.test(piece.trim()))
}

const shownLength = 80

/** The error for a name that fits no URL. */
export function invalidName(name: string): ToolwireError {
  const shown = JSON.stringify(name.length > shownLength ? `${name.slice(0, shownLength)}…` : name)
  const message = `the model name ${shown} cannot be part of a URL; expected a name such as "gemini-3-pro" or "tunedModels/my-model" without empty or dot segments, backslashes, control or percent-encoded characters`
  return new ToolwireError('invalid_request', message)
}
