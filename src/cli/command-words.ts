// A command line in one text, as words. Quotes and backslashes group as in a shell; nothing else of a shell is done.
import { ToolwireError } from '../errors/error.js'

/** The words; misuse when a quote is never closed. */
export function commandWords(text: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  // A part in double quotes, one in single quotes, an escaped character, plain characters, white space, or a quote left over.
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\]+|\s+|["'\\]/gs)) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + meaning(part, text)
  }
  return word === undefined ? words : [...words, word]
}

function meaning(part: string, text: string): string {
  if (part === '"' || part === "'") {
    throw new ToolwireError(
      'misuse',
      `the command ${text} has a quote that is never closed; close it, or escape it with \\`,
    )
  }
  if (part.startsWith("'")) return part.slice(1, -1)
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
  return part.startsWith('\\') && part.length > 1 ? part.slice(1) : part
}
