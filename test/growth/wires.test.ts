// The law: twice as much of anything that a request or an answer can hold costs a gateway about twice as much, whoever asks whom.
// `npm run growth` measures every shape on every pair of wires and prints the worst of each; `npm test` one pair of each shape.
import { afterAll, expect, test } from 'vitest'
import { answers, rawAnswers } from './answer-shapes.js'
import {
  answerBytes,
  clientBody,
  gatewayCall,
  type Pair,
  pairName,
  pairs,
  rawAnswerBytes,
  shortAnswer,
} from './gateway-pairs.js'
import { type Growth, growthOver, linearPerDoubling } from './processor-time.js'
import { histories, settings } from './request-shapes.js'

const isFull = process.env.GROWTH === 'all'
/** The largest are about half a mebibyte, in the short run a quarter of one; that run leaves out the size in the middle. */
const fraction = isFull ? 2 : 4
const factors = isFull ? [1, 2, 4] : [1, 4]

interface Cell {
  readonly name: string
  readonly workOf: (length: number) => () => Promise<unknown>
}

interface Shape {
  readonly name: string
  readonly size: number
  readonly cells: readonly Cell[]
}

function cellOf(
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

const requestShapes = Object.entries({ ...histories, ...settings }).map(
  ([name, shape]): Shape => ({
    name: `request: ${name}`,
    size: shape.size,
    cells: pairs.map((pair) =>
      cellOf(pair, false, (length) => [
        clientBody(pair.client, shape.build(length), false),
        shortAnswer(pair.upstream, false),
      ]),
    ),
  }),
)

const answerShapes = Object.entries(answers).flatMap(([name, shape]) =>
  [false, true].map(
    (isStreamed): Shape => ({
      name: `${isStreamed ? 'stream' : 'answer'}: ${name}`,
      size: shape.size,
      cells: pairs.map((pair) =>
        cellOf(pair, isStreamed, (length) => [
          clientBody(pair.client, {}, isStreamed),
          answerBytes(pair.upstream, shape, length, isStreamed),
        ]),
      ),
    }),
  ),
)

const rawShapes = Object.entries(rawAnswers).map(
  ([name, shape]): Shape => ({
    name: `stream: ${name} (${shape.wire})`,
    size: shape.size,
    cells: pairs
      .filter(({ upstream }) => upstream === shape.wire)
      .map((pair) =>
        cellOf(pair, true, (length) => [clientBody(pair.client, {}, true), rawAnswerBytes(shape, length)]),
      ),
  }),
)

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
const shapes = [...requestShapes, ...answerShapes, ...rawShapes].filter(({ name }) => name.includes(only))
const rows: string[] = []
afterAll(() => {
  if (isFull) console.log(rows.sort().join('\n'))
})

test.each(shapes.map((shape, index) => ({ ...shape, measured: cellsFor(shape, index) })))(
  '$name',
  async ({ name, size, measured }) => {
    const growths: (Growth & { readonly cell: string })[] = []
    for (const { name: cell, workOf } of measured) {
      const smallest = Math.ceil(size / fraction / 30) * 30
      growths.push({ cell, ...(await growthOver(smallest, workOf, { factors })) })
    }
    const [worst, ...others] = growths.toSorted((a, b) => b.ratio - a.ratio)
    if (worst !== undefined) rows.push(`${worst.ratio.toFixed(2)} ${name}: ${worst.cell}, ${millisecondsOf(worst)} ms`)
    const above = [worst, ...others].filter((growth) => growth !== undefined && growth.ratio > linearPerDoubling)
    expect(
      above.map((growth) => growth && `${growth.cell}: ${growth.ratio.toFixed(2)}, ${millisecondsOf(growth)} ms`),
    ).toEqual([])
  },
  600_000,
)

function millisecondsOf({ milliseconds }: Growth): string {
  return milliseconds.map((time) => time.toFixed(1)).join(', ')
}
