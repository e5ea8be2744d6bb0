// Tools that are recognised by their text are read as if they were read anew, wherever else their text stands.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFrozen } from '../../src/conversation/freeze.js'
import { bodyText } from '../../src/frames/body.js'
import { readMembers, replaceSpans } from '../../src/json/members.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { filledRequest, parseRequest, sparseRequest } from '../../src/wire/remembered-tools.js'

const renamed = (body: string): string => {
  const models = (readMembers(body)?.members ?? []).filter(({ key }) => key === 'model')
  return replaceSpans(
    body,
    models.map((span) => ({ ...span, text: '"n"' })),
  )
}
const toolsOf = (name: string): object[] =>
  Array.from({ length: 12 }, (_, index) => ({
    type: 'function',
    function: {
      name: `${name}_${index}`,
      description: 'x'.repeat(100),
      parameters: { type: 'object', properties: {} },
    },
  }))
const [weather, search] = [toolsOf('weather'), toolsOf('search')]
/** One in some unknown texts is kept: asked often enough, all of these are. */
const teach = (): void => {
  for (let round = 0; round < 20; round += 1)
    for (const tools of [weather, search]) sparseRequest(JSON.stringify({ tools }))
}

test('a request with known tools is parsed to the same value, in any place and spelling', () => {
  teach()
  const place = fc.constantFrom(
    (tools: string) => `{"model":"m","tools":${tools},"stream":true}`,
    (tools: string) => `{"model":"m","tools" : ${tools},"messages":[]}`,
    (tools: string) => `{"messages":[{"tools":${tools}}],"tools":[]}`,
    (tools: string) => `{"messages":[{"tools":${tools}}],"tools":"\\u0000tools\\u0000"}`,
    (tools: string) => `{"tools":${tools},"tools":[1]}`,
    (tools: string) => `{"x\\"tools":${tools},"tools":${tools}}`,
    (tools: string) => `{"text":${JSON.stringify(`"tools":${tools}`)},"tools":${tools}}`,
    (tools: string) => `[${tools}]`,
  )
  fc.assert(
    fc.property(place, fc.constantFrom(weather, search, [{ type: 'function' }], []), (write, tools) => {
      const text = write(JSON.stringify(tools))
      expect(parseRequest(text)).toEqual(JSON.parse(text))
      const sparse = sparseRequest(text)
      expect(bodyText(filledRequest({ ...sparse, text: renamed(sparse.text) }))).toBe(renamed(text))
    }),
  )
})

test('what is wrong with a request is told at its own place, with known tools or without', () => {
  teach()
  const broken = `{"tools":${JSON.stringify(weather)},"stream":tru}`
  expect(() => parseRequest(broken)).toThrow(`the text (${broken.length} characters) is not JSON`)
})

test('known tools are decoded once, and frozen so that encoders remember them', () => {
  teach()
  const codec = codecs['openai-chat']
  const decode = (text: string) =>
    codec.request.decode(
      { method: 'POST', path: '/v1/chat/completions', headers: {}, body: text },
      { profile: profileOf(codec), createdSeconds: 0, deltas: true },
    ).request
  const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: weather })
  const [first, second] = [decode(text), decode(text.replace('"hi"', '"ho"'))]
  expect(second.tools?.[0]).toBe(first.tools?.[0])
  expect(isFrozen(second.tools?.[0] as object)).toBe(true)
  const unknown = decode(JSON.stringify({ ...JSON.parse(text), tools: structuredClone(weather).reverse() }))
  expect(first.tools).toEqual([...(unknown.tools ?? [])].reverse())
})
