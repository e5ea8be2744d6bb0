// The law: twice as much of anything that a request can hold costs a gateway about twice as much, whoever asks whom.
import { afterAll, test } from 'vitest'
import { clientBody, pairs, shortAnswer } from './gateway-pairs.js'
import { histories, settings } from './request-shapes.js'
import { casesOf, cellOf, expectLinear, printSummary, type Shape } from './wire-cells.js'

const requestShapes = Object.entries({ ...histories, ...settings }).map(
  ([name, shape]): Shape => ({
    name: `request: ${name}`,
    size: shape.size,
    most: shape.most,
    cells: pairs.map((pair) =>
      cellOf(pair, false, (length) => [
        clientBody(pair.client, shape.build(length), false),
        shortAnswer(pair.upstream, false),
      ]),
    ),
  }),
)

afterAll(printSummary)

const cases = casesOf(requestShapes)

test.each(cases)('$name', expectLinear, 600_000)
