// What a program says of an endpoint comes before what the environment and the vendor's record say.
import { afterEach, describe, expect, test } from 'vitest'
import type { ToolwireError } from '../../src/errors/error.js'
import { anthropic, compatible, gemini, type Model, openai } from '../../src/index.js'

const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
const variable = 'OPENAI_API_KEY'
const before = process.env[variable]

afterEach(() => {
  if (before === undefined) delete process.env[variable]
  else process.env[variable] = before
})

interface Sent {
  readonly url: string
  readonly headers: Headers
}

/** What a model sends, with a `fetch` that answers nothing of use. */
async function send(open: (fetch: typeof globalThis.fetch) => Model): Promise<Sent | ToolwireError> {
  let sent: Sent | undefined
  const fetch = (async (input: string | URL | Request, init?: RequestInit) => {
    sent = { url: String(input instanceof Request ? input.url : input), headers: new Headers(init?.headers) }
    return new Response('{}', { status: 400 })
  }) as typeof globalThis.fetch
  const error = await open(fetch)
    .complete({ messages })
    .catch((thrown: unknown) => thrown)
  return sent ?? (error as ToolwireError)
}

describe('the key', () => {
  test('is the given one, else that of the environment', async () => {
    process.env[variable] = 'from-the-environment'
    const given = (await send((fetch) => openai('m', { apiKey: 'given', fetch, retries: 0 }))) as Sent
    const found = (await send((fetch) => openai('m', { fetch, retries: 0 }))) as Sent
    expect(given.headers.get('authorization')).toBe('Bearer given')
    expect(found.headers.get('authorization')).toBe('Bearer from-the-environment')
  })

  test('is missed before anything is sent, unless the address or a header is the caller’s own', async () => {
    delete process.env[variable]
    const missing = await send((fetch) => openai('m', { fetch, retries: 0 }))
    expect(missing).toMatchObject({ code: 'authentication', message: expect.stringContaining(variable) })
    const own = (await send((fetch) => openai('m', { baseUrl: 'http://127.0.0.1:9', fetch, retries: 0 }))) as Sent
    expect(own.headers.has('authorization')).toBe(false)
    const header = { Authorization: 'Basic abc' }
    const signed = (await send((fetch) => openai('m', { headers: header, fetch, retries: 0 }))) as Sent
    expect(signed.headers.get('authorization')).toBe('Basic abc')
  })

  test('stands where each vendor looks for it', async () => {
    const options = { apiKey: 'k', retries: 0 }
    const claude = (await send((fetch) => anthropic('m', { ...options, fetch }))) as Sent
    const google = (await send((fetch) => gemini('m', { ...options, fetch }))) as Sent
    expect([claude.headers.get('authorization'), claude.headers.has('x-api-key')]).toEqual(['Bearer k', false])
    expect([google.headers.get('x-goog-api-key'), google.headers.has('authorization')]).toEqual(['k', false])
  })
})

describe('the address', () => {
  test.each([
    ['http://127.0.0.1:9', 'http://127.0.0.1:9/v1/chat/completions'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/v1/chat/completions'],
    ['http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1/chat/completions'],
    ['http://127.0.0.1:9/v1/', 'http://127.0.0.1:9/v1/chat/completions'],
    ['http://127.0.0.1:9/proxy', 'http://127.0.0.1:9/proxy/v1/chat/completions'],
  ])('%s', async (baseUrl, expected) => {
    const sent = (await send((fetch) =>
      compatible({ wire: 'openai-chat', model: 'm', baseUrl, fetch, retries: 0 }),
    )) as Sent
    expect(sent.url).toBe(expected)
  })

  test('and the model must be there', () => {
    for (const open of [
      () => openai(''),
      () => openai(7 as never),
      () => compatible({ wire: 'openai-chat', model: '' }),
    ]) {
      expect(open).toThrow(expect.objectContaining({ code: 'misuse' }))
    }
  })
})
