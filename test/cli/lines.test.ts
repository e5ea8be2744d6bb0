// One record is one line, whatever stands between the tokens of JSON that was taken over as it was written.
import { PassThrough, Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkToolLine } from '../../src/cli/check-tools.js'
import { decodeLine } from '../../src/cli/decode.js'
import { encodeLine } from '../../src/cli/encode.js'
import { type Answer, answerLines, jsonLine, type Line } from '../../src/cli/lines.js'
import { jsonReporter } from '../../src/cli/report.js'
import { type TranslateOptions, translateLine } from '../../src/cli/translate.js'
import { wires } from '../../src/conversation/messages.js'
import { RawJson } from '../../src/json/stringify.js'
import { codecs, profileOf } from '../../src/wire/index.js'

/** As OpenAI's documentation prints a call: with a line break inside the arguments. */
const spelt = '{\n"location": "Boston, MA",\r\n"id": 12345678901234567890,\t"sign": "a\u2028b\u2029c\u0085d"\n}'
const plain = '{"location":"Boston, MA","id":12345678901234567890,"sign":"a\\u2028b\\u2029c\\u0085d"}'
const call = { type: 'tool_call', id: 'call_abc123', name: 'get_current_weather', arguments: spelt } as const
const user = { role: 'user', content: [{ type: 'text', text: 'Weather in Boston?' }] } as const

async function answer(record: object, work: (line: Line) => Answer): Promise<string> {
  const output = new PassThrough()
  const chunks: string[] = []
  output.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  await answerLines(Readable.from([`${JSON.stringify(record)}\n`]), output, work)
  return chunks.join('')
}

function expectOneLine(text: string): void {
  expect(text).toMatch(/^[^\r\n\u0085\u2028\u2029]+\n$/)
  expect(() => JSON.parse(text) as unknown).not.toThrow()
}

describe.each(wires)('on %s', (wire) => {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const history = [user, { role: 'assistant', content: [call] }] as const
  const request = { model: 'm', messages: history, tools: [{ name: call.name }] }
  const exchange = { wire, model: 'm', provider: env.profile.name, stream: false }
  const { http } = codec.response.encode(
    {
      id: 'r1',
      model: 'm',
      text: '',
      toolCalls: [call],
      brokenCalls: [],
      message: { role: 'assistant', content: [call] },
      finishReason: 'tool_calls',
      losses: [],
      metadata: {},
      requiresToolExecution: true,
    },
    exchange,
    env,
  )

  test('decode writes one line for an answer whose arguments have line breaks', async () => {
    const text = await answer({ id: 1, body: http.body }, (line) => decodeLine(line, { wire }))
    expectOneLine(text)
    expect(text).toContain('12345678901234567890')
  })

  test('encode writes one line for a history whose arguments have line breaks', async () => {
    const text = await answer({ id: 1, request }, (line) => encodeLine(line, { wire, stream: false }))
    expectOneLine(text)
    expect(text).toContain('12345678901234567890')
  })

  test.each(wires)('translate writes one line for a request and an answer to %s', async (to) => {
    const options = (kind: TranslateOptions['kind']): TranslateOptions => ({ from: { wire }, to: { wire: to }, kind })
    const asked = await answer({ id: 1, request }, (line) => encodeLine(line, { wire, stream: false }))
    const { http: encoded } = JSON.parse(asked) as { http: { body: object; path: string } }
    const body = JSON.stringify(encoded.body).replaceAll('":', '" :\n')
    expectOneLine(await answer({ id: 1, path: encoded.path, body }, (line) => translateLine(line, options('request'))))
    expectOneLine(await answer({ id: 1, body: http.body }, (line) => translateLine(line, options('response'))))
  })
})

test('check-tools writes one line for a definition with line breaks in its text', async () => {
  const tool = { name: 'f', description: 'one\u2028two\nthree', parameters: { type: 'object' } }
  expectOneLine(await answer({ id: 1, tool }, checkToolLine))
})

test('an event of a run is one line', () => {
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) > 0 }
  jsonReporter(output as never).tell({ type: 'text_delta', part: 0, text: 'a\u2028b\r\nc', turn: 1 })
  expectOneLine(written.join(''))
})

test('a line has the value of what was written, whatever stands between the tokens', () => {
  expect(jsonLine({ args: new RawJson(spelt) })).not.toContain('\u2028')
  expect(JSON.parse(jsonLine(new RawJson(spelt)))).toEqual(JSON.parse(plain))
  const blank = fc.constantFrom('', ' ', '\n', '\r\n', '\r', '\t')
  fc.assert(
    fc.property(fc.jsonValue(), blank, (value, space) => {
      const line = jsonLine(new RawJson(JSON.stringify(value, undefined, space === '' ? undefined : space)))
      expectOneLine(line)
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
