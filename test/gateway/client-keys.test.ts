// Where a client's key may stand, which one counts, and what a client without the right one is told.
import { expect, test } from 'vitest'
import { createGateway } from '../../src/gateway/index.js'
import { scriptedModel } from '../../src/testing/index.js'

const gateway = createGateway({
  routes: [{ match: '*', targets: [scriptedModel(() => 'Hello.')] }],
  keys: [{ name: 'a', key: 'right-key' }],
})

async function ask(headers: Readonly<Record<string, string>>, query = ''): Promise<readonly [number, string]> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  const url = `http://127.0.0.1/v1/chat/completions${query}`
  const response = await gateway(
    new Request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
  )
  return [response.status, await response.text()]
}

test.each<[string, Readonly<Record<string, string>>, string?]>([
  ['as a bearer token', { authorization: 'Bearer right-key' }],
  ['as a bearer token in other letters and with more space', { authorization: 'bEARER   right-key' }],
  ['as Anthropic’s clients send it', { 'x-api-key': 'right-key' }],
  ['as Google’s clients send it', { 'x-goog-api-key': 'right-key' }],
  ['as Azure’s clients send it', { 'api-key': 'right-key' }],
  ['in the query', {}, '?key=right-key'],
  ['in the query beside other parameters', {}, '?alt=json&key=right-key'],
  ['in a header, with another one in the query', { 'x-api-key': 'right-key' }, '?key=other'],
  ['as a bearer token, with another one in a header', { authorization: 'Bearer right-key', 'x-api-key': 'other' }],
  ['in a header, with an authorization of another kind', { authorization: 'Basic abc', 'x-api-key': 'right-key' }],
])('a key is found %s', async (_, headers, query) => {
  expect((await ask(headers, query))[0]).toBe(200)
})

test.each<[string, Readonly<Record<string, string>>, string?]>([
  ['no key', {}],
  ['an authorization of another kind', { authorization: 'Basic right-key' }],
  ['a bearer token with a space in it', { authorization: 'Bearer right key' }],
  ['a word in front of the token', { authorization: 'my Bearer right-key' }],
])('%s is told that a key is needed', async (_, headers, query) => {
  const [status, text] = await ask(headers, query)
  expect([status, text]).toEqual([401, expect.stringContaining('needs a key')])
})

test.each<[string, Readonly<Record<string, string>>, string?]>([
  ['a wrong key', { 'x-api-key': 'wrong-key' }],
  ['a key that begins like the right one', { authorization: 'Bearer right-key2' }],
  ['an empty key', { 'x-api-key': '' }],
  ['a wrong key before the right one', { authorization: 'Bearer wrong-key', 'x-api-key': 'right-key' }],
  ['a wrong key in the query', {}, '?key=wrong-key'],
])('%s is told that it is not known, and never repeated', async (_, headers, query) => {
  const [status, text] = await ask(headers, query)
  expect([status, text]).toEqual([401, expect.stringContaining('not known')])
  expect(text).not.toMatch(/wrong-key|right-key/)
})

test('without keys everybody may ask', async () => {
  const open = createGateway({ routes: [{ match: '*', targets: [scriptedModel(() => 'Hello.')] }] })
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  for (const headers of [{}, { 'x-api-key': 'any' }]) {
    const request = new Request('http://127.0.0.1/v1/chat/completions', { method: 'POST', headers, body })
    expect((await open(request)).status).toBe(200)
  }
})
