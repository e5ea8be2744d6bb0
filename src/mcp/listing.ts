// Lists of a server, page by page. Trap: a server that repeats a cursor, or never ends, must not hold anybody for ever.
import { ToolwireError } from '../errors/error.js'
import type { Ask } from './ask.js'

const maxPages = 1000

/** Everything under `key` of all pages, as it came. */
export async function listAll(ask: Ask, method: string, key: string): Promise<readonly unknown[]> {
  const items: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await ask(cursor === undefined ? { method } : { method, params: { cursor } })
    const found = page[key]
    if (!Array.isArray(found)) {
      throw new ToolwireError('malformed_response', `the server answered ${method} without a list of ${key}`)
    }
    for (const item of found as readonly unknown[]) items.push(item)
    const next = page.nextCursor
    if (typeof next === 'string' && (cursors.has(next) || cursors.size === maxPages)) {
      throw new ToolwireError('malformed_response', `the server's pages of ${method} never end`)
    }
    cursor = typeof next === 'string' && next !== '' ? next : undefined
    if (cursor !== undefined) cursors.add(cursor)
  } while (cursor !== undefined)
  return items
}
