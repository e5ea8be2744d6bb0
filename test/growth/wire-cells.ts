// How growth over a shape is measured for each pair of a client's wire and a provider's. `npm run growth` measures every shape on every
// pair and prints the worst of each; `npm test` one pair of each shape.
import { expect } from 'vitest'
import { gatewayCall, type Pair, pairName } from './gateway-pairs.js'
import { type Growth, growthOver, linearPerDoubling } from './processor-time.js'

const isFull = process.env.GROWTH === 'all'
/** The largest are about a mebibyte: in smaller ones a cheap scan of a list hides behind the rest. The short run leaves out the size in the middle. */
const fraction = 1
const factors = isFull ? [1, 2, 4] : [1, 4]

export interface Cell {
  readonly name: string
  readonly workOf: (length: number) => () => Promise<unknown>
}

export interface Shape {
  readonly name: string
  readonly size: number
  /** The longest that is not refused for another reason. */
  readonly most?: number | undefined
  readonly cells: readonly Cell[]
}

export function cellOf(
  pair: Pair,
  isStreamed: boolean,
  contentOf: (length: number) => readonly [body: string, answer: Uint8Array],
): Cell {
  return {
    name: `${pairName(pair)}${isStreamed ? ', streamed' : ''}`,
    workOf(length) {
      const [body, answer] = contentOf(length)
      const call = gatewayCall(pair, isStreamed, body, answer)
      return async () => {
        const { status, head } = await call()
        expect({ status, head: status === 200 ? '' : head }).toEqual({ status: 200, head: '' })
      }
    },
  }
}

/** The pairs of the short run on which these shapes once took quadratic time. */
const telling: Readonly<Record<string, string>> = {
  'request: system messages': 'openai-chat to anthropic',
  'request: system messages between turns': 'openai-chat to gemini',
  'request: assistant messages': 'openai-chat to anthropic',
  'request: calls of a turn': 'openai-chat to anthropic',
  'request: results in reverse': 'ollama to openai-chat',
  'request: results in messages apart': 'gemini to anthropic',
  'request: allowed tools': 'openai-chat to ollama',
  'answer: calls': 'openai-chat to openai-chat',
  'stream: calls': 'openai-chat to openai-chat, streamed',
  'stream: calls that end after the last one': 'anthropic to openai-chat, streamed',
  'stream: calls on a line (ollama)': 'openai-chat to ollama, streamed',
}

/** Other shapes take turns with the pairs, so that each pair comes. */
function cellsFor({ name, cells }: Shape, index: number): readonly Cell[] {
  if (isFull) return cells
  const cell = cells.find((one) => one.name === telling[name]) ?? cells[(index * 7) % cells.length]
  return cell === undefined ? [] : [cell]
}

const only = process.env.SHAPE ?? ''

/** What is measured of the shapes in this run. */
export function casesOf(shapes: readonly Shape[]): readonly Shape[] {
  return shapes
    .map((shape, index) => ({ ...shape, cells: cellsFor(shape, index) }))
    .filter(({ name }) => name.includes(only))
}

let cellCount = 0
let worstRatio = 0

export async function expectLinear({ name, size, most, cells }: Shape): Promise<void> {
  const growths: (Growth & { readonly cell: string })[] = []
  for (const { name: cell, workOf } of cells) {
    const largest = factors.at(-1) ?? 1
    const smallest = Math.min(
      Math.ceil(size / fraction / 30) * 30,
      Math.floor((most ?? Number.POSITIVE_INFINITY) / largest),
    )
    growths.push({ cell, ...(await confirmedGrowth(smallest, workOf, most)) })
  }
  // Nothing else makes the runtime collect the bytes of the answers, which would pile up.
  globalThis.gc?.()
  const ordered = growths.toSorted((a, b) => b.ratio - a.ratio)
  cellCount += growths.length
  worstRatio = Math.max(worstRatio, ordered[0]?.ratio ?? 0)
  if (isFull) console.log(`${name}: worst ${ordered.slice(0, 1).map(lineOf)}`)
  expect(ordered.filter(({ ratio }) => ratio > linearPerDoubling).map(lineOf)).toEqual([])
}

/** Caches and collections can raise a ratio at one size. Growth that is not linear is worse at twice the size, so that decides. */
async function confirmedGrowth(smallest: number, workOf: Cell['workOf'], most: number | undefined): Promise<Growth> {
  const growth = await growthOver(smallest, workOf, { factors, most })
  const isPossible = smallest * 2 * (factors.at(-1) ?? 1) <= (most ?? Number.POSITIVE_INFINITY)
  if (growth.ratio <= linearPerDoubling || !isPossible) return growth
  return growthOver(smallest * 2, workOf, { factors, most })
}

export function printSummary(): void {
  if (isFull) console.log(`${cellCount} cells measured; the worst ratio is ${worstRatio.toFixed(2)} per doubling`)
}

function lineOf({ cell, ratio, milliseconds }: Growth & { readonly cell: string }): string {
  return `${ratio.toFixed(2)} ${cell}: ${milliseconds.map((time) => time.toFixed(1)).join(', ')} ms`
}
