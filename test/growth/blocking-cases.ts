// One mebibyte of each shape, as a request or as an answer, for `scripts/blocking.mjs`, which sends it to a running gateway.
import { type Wire, wires } from '../../src/conversation/messages.js'
import { answers, rawAnswers } from './answer-shapes.js'
import { addressOf, answerBytes, clientBody, rawAnswerBytes, shortAnswer } from './gateway-pairs.js'
import { histories, settings } from './request-shapes.js'

export interface BlockingCase {
  readonly name: string
  readonly client: Wire
  readonly upstream: Wire
  readonly isStreamed: boolean
  readonly path: string
  /** Made when it is asked for: all of them at once would fill the memory. */
  readonly make: () => { readonly body: string; readonly answer: Uint8Array }
}

const mebibyte = 1_048_576

/** About how long something must be to fill a mebibyte. */
function lengthFor(size: number, bytesOf: (length: number) => number, most = Number.POSITIVE_INFINITY): number {
  const length = (size * mebibyte) / bytesOf(size)
  // Some wires say the same however much there is of something.
  return Math.min(most, 16 * size, Math.max(30, Math.round(length / 30) * 30))
}

/** Each shape with every client; `isEvery` with every provider for each, else with one, another for each shape and client. */
export function blockingCases(isEvery: boolean): readonly BlockingCase[] {
  const cases: BlockingCase[] = []
  let turn = 0
  const add = (
    name: string,
    client: Wire,
    upstreams: readonly Wire[],
    isStreamed: boolean,
    make: (upstream: Wire) => ReturnType<BlockingCase['make']>,
  ): void => {
    turn += 1
    const chosen = isEvery ? upstreams : [upstreams[turn % upstreams.length] as Wire]
    for (const upstream of chosen) {
      const { path, query } = addressOf(client, isStreamed)
      const address = (path + query).replace('/models/m:', `/models/${upstream}:`)
      cases.push({ name, client, upstream, isStreamed, path: address, make: () => make(upstream) })
    }
  }
  for (const client of wires) {
    for (const [name, { size, most, build }] of Object.entries({ ...histories, ...settings })) {
      add(`request: ${name}`, client, wires, false, (upstream) => {
        const bodyOf = (length: number): string => clientBody(client, build(length), false)
        const body = bodyOf(lengthFor(size, (length) => bodyOf(length).length, most))
        return { body, answer: shortAnswer(upstream, false) }
      })
    }
    for (const [name, shape] of Object.entries(answers)) {
      for (const isStreamed of [false, true]) {
        add(`${isStreamed ? 'stream' : 'answer'}: ${name}`, client, wires, isStreamed, (upstream) => {
          const bytesOf = (length: number): Uint8Array => answerBytes(upstream, shape, length, isStreamed)
          const length = lengthFor(shape.size, (size) => bytesOf(size).length)
          return { body: clientBody(client, {}, isStreamed), answer: bytesOf(length) }
        })
      }
    }
    for (const [name, shape] of Object.entries(rawAnswers)) {
      add(`stream: ${name} (${shape.wire})`, client, [shape.wire], true, () => {
        const length = lengthFor(shape.size, (size) => rawAnswerBytes(shape, size).length)
        return { body: clientBody(client, {}, true), answer: rawAnswerBytes(shape, length) }
      })
    }
  }
  return cases
}
