// The law: twice as much of anything that an answer can hold, streamed or not, costs a gateway about twice as much, whoever asks whom.
import { afterAll, test } from 'vitest'
import { answers, rawAnswers } from './answer-shapes.js'
import { answerBytes, clientBody, pairs, rawAnswerBytes } from './gateway-pairs.js'
import { casesOf, cellOf, expectLinear, printSummary, type Shape } from './wire-cells.js'

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

afterAll(printSummary)

const cases = casesOf([...answerShapes, ...rawShapes])

test.each(cases)('$name', expectLinear, 600_000)
