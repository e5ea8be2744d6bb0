// Which wire a path speaks, what a server lists of its models on each, and how a client reads such a list.
import { describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import type { JsonObject } from '../../src/json/types.js'
import { listingRequest, readListing, readShown, showRequest } from '../../src/wire/directory.js'
import { listing, tokensOf } from '../../src/wire/listings.js'
import { type Route, routeOf } from '../../src/wire/routes.js'

describe('a path', () => {
  test.each<[string, string, Route]>([
    ['POST', '/v1/chat/completions', { kind: 'completion', wire: 'openai-chat' }],
    ['POST', '/v1/chat/completions?api-version=1', { kind: 'completion', wire: 'openai-chat' }],
    ['POST', '/v1/responses', { kind: 'completion', wire: 'openai-responses' }],
    ['POST', '/v1/messages', { kind: 'completion', wire: 'anthropic' }],
    ['POST', '/v1/messages/count_tokens', { kind: 'token_count', wire: 'anthropic' }],
    ['GET', '/v1/models', { kind: 'models', wire: 'openai-chat' }],
    ['HEAD', '/v1/models', { kind: 'models', wire: 'openai-chat' }],
    ['GET', '/v1/models/gpt-6', { kind: 'listed_model', wire: 'openai-chat', model: 'gpt-6' }],
    ['GET', '/v1/models/a%2Fb', { kind: 'listed_model', wire: 'openai-chat', model: 'a/b' }],
    ['GET', '/v1beta/models', { kind: 'models', wire: 'gemini' }],
    ['GET', '/v1alpha2/models', { kind: 'models', wire: 'gemini' }],
    ['GET', '/v1beta/models/gemini-3', { kind: 'listed_model', wire: 'gemini', model: 'gemini-3' }],
    ['POST', '/v1beta/models/m:generateContent', { kind: 'completion', wire: 'gemini' }],
    [
      'POST',
      '/v1beta1/publishers/google/models/m:streamGenerateContent?alt=sse',
      { kind: 'completion', wire: 'gemini' },
    ],
    ['POST', '/v1/models/m:generateContent', { kind: 'completion', wire: 'gemini' }],
    ['POST', '/v1beta/models/m:countTokens', { kind: 'token_count', wire: 'gemini' }],
    ['POST', '/api/chat', { kind: 'completion', wire: 'ollama' }],
    ['GET', '/api/tags', { kind: 'models', wire: 'ollama' }],
    ['POST', '/api/show', { kind: 'model', wire: 'ollama' }],
    ['GET', '/api/version', { kind: 'version', wire: 'ollama' }],
    ['HEAD', '/', { kind: 'alive', wire: 'ollama' }],
  ])('%s %s is known', (method, path, route) => {
    expect(routeOf(method, path)).toEqual(route)
  })

  test.each<[string, string, Wire, boolean]>([
    ['GET', '/v1/chat/completions', 'openai-chat', true],
    ['GET', '/v1/responses', 'openai-responses', true],
    ['DELETE', '/v1/responses/resp_1', 'openai-responses', false],
    ['PUT', '/v1/messages', 'anthropic', true],
    ['POST', '/v1/messages/batches', 'anthropic', false],
    ['POST', '/api/tags', 'ollama', true],
    ['POST', '/', 'ollama', true],
    ['POST', '/api/embed', 'ollama', false],
    ['GET', '/v1beta/models/m:generateContent', 'gemini', true],
    ['POST', '/v1beta/models/m:embedContent', 'gemini', false],
    ['POST', '/v1/models/m:embedContent', 'gemini', false],
    ['POST', '/v1beta/models', 'gemini', true],
    ['GET', '/v1beta/files', 'gemini', false],
    ['POST', '/v1/models', 'openai-chat', true],
    ['GET', '/v1/models/', 'openai-chat', false],
    ['GET', '/v1/models/%zz', 'openai-chat', false],
    ['GET', '/favicon.ico', 'openai-chat', false],
  ])('%s %s is answered in the form of the nearest wire', (method, path, wire, wrongMethod) => {
    expect(routeOf(method, path)).toEqual({ kind: 'unknown', wire, wrongMethod })
  })
})

describe('a server', () => {
  const listed = { models: ['a', 'b'], inputTokens: 7 }
  const list = (kind: 'models', wire: Wire): JsonObject => listing({ kind, wire }, listed) as JsonObject

  test.each(wires)('%s: lists models that its own clients read', (wire) => {
    const read = readListing(wire, JSON.stringify(list('models', wire)))
    expect(read?.map(({ id }) => id)).toEqual(['a', 'b'])
    const isDated = wire !== 'ollama' && wire !== 'gemini'
    expect(read?.[0]?.createdSeconds).toBe(isDated ? 1_767_225_600 : undefined)
  })

  test('lists models once for the clients of OpenAI and Anthropic', () => {
    expect(list('models', 'openai-chat')).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: 'a',
      last_id: 'b',
      data: [
        {
          id: 'a',
          object: 'model',
          type: 'model',
          display_name: 'a',
          created: 1_767_225_600,
          created_at: '2026-01-01T00:00:00Z',
        },
        { id: 'b' },
      ],
    })
    expect(listing({ kind: 'models', wire: 'anthropic' }, { models: [], inputTokens: 0 })).toMatchObject({
      data: [],
      first_id: null,
      last_id: null,
    })
  })

  test('shows one model, its version and that it is alive', () => {
    expect(listing({ kind: 'listed_model', wire: 'openai-chat', model: 'a' }, listed)).toMatchObject({
      id: 'a',
      object: 'model',
    })
    expect(listing({ kind: 'listed_model', wire: 'gemini', model: 'a' }, listed)).toEqual({
      name: 'models/a',
      displayName: 'a',
      inputTokenLimit: 1_000_000,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    })
    expect(listing({ kind: 'alive', wire: 'ollama' }, listed)).toBe('Ollama is running')
    expect(listing({ kind: 'version', wire: 'ollama' }, listed)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    const shown = listing({ kind: 'model', wire: 'ollama' }, { ...listed, capabilities: ['completion', 'tools'] })
    expect(shown).toMatchObject({ capabilities: ['completion', 'tools'], details: { format: 'gguf' } })
    expect(readShown(JSON.stringify(shown))).toEqual({ tools: true, images: false, reasoning: false })
    expect(readShown(JSON.stringify(listing({ kind: 'model', wire: 'ollama' }, listed)))).toEqual({
      tools: true,
      images: true,
      reasoning: true,
    })
  })

  test('counts tokens in the words of the wire, about four characters each', () => {
    expect(listing({ kind: 'token_count', wire: 'anthropic' }, listed)).toEqual({ input_tokens: 7 })
    expect(listing({ kind: 'token_count', wire: 'gemini' }, listed)).toEqual({ totalTokens: 7 })
    expect(['', 'a', 'abcd', 'abcde'].map(tokensOf)).toEqual([0, 1, 1, 2])
  })
})

describe('a client', () => {
  test('asks for the list where the wire has it', () => {
    expect(wires.map((wire) => [wire, listingRequest(wire).method, listingRequest(wire).path])).toEqual([
      ['openai-chat', 'GET', '/v1/models'],
      ['openai-responses', 'GET', '/v1/models'],
      ['anthropic', 'GET', '/v1/models?limit=1000'],
      ['ollama', 'GET', '/api/tags'],
      ['gemini', 'GET', '/v1beta/models?pageSize=1000'],
    ])
    expect(listingRequest('anthropic').headers['anthropic-version']).toBe('2023-06-01')
    for (const wire of wires) expect(listingRequest(wire).headers.accept).toBe('application/json')
  })

  test('asks about one model only on Ollama', () => {
    expect(showRequest('ollama', 'qwen')).toMatchObject({
      method: 'POST',
      path: '/api/show',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: '{"model":"qwen"}',
    })
    for (const wire of wires.filter((wire) => wire !== 'ollama')) expect(showRequest(wire, 'm')).toBeUndefined()
  })

  test('leaves out what is no model for conversations, and entries without a name', () => {
    const models = [
      { name: 'models/a', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
      { name: 'models/b' },
      { name: '' },
      { name: 7 },
      {},
      'c',
      null,
    ]
    expect(readListing('gemini', JSON.stringify({ models }))).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(readListing('ollama', JSON.stringify({ models: [{ name: 'models/a' }] }))).toEqual([{ id: 'models/a' }])
  })

  test.each<[object, number | undefined]>([
    [{ created: 5 }, 5],
    [{ created: 0 }, 0],
    [{ created_at: '1970-01-01T00:01:00Z' }, 60],
    [{ created: 5, created_at: '1970-01-01T00:01:00Z' }, 5],
    [{ created: '5' }, undefined],
    [{ created_at: 'some day' }, undefined],
    [{}, undefined],
  ])('reads when a model came out: %j', (entry, createdSeconds) => {
    const body = JSON.stringify({ data: [{ id: 'm', ...entry }] })
    expect(readListing('anthropic', body)).toStrictEqual([
      createdSeconds === undefined ? { id: 'm' } : { id: 'm', createdSeconds },
    ])
  })

  test.each(['', 'not JSON', '[]', '{}', '{"data":{}}', '{"models":"a"}', 'null'])('%s is no list', (body) => {
    expect(readListing('openai-chat', body)).toBeUndefined()
    expect(readListing('ollama', body)).toBeUndefined()
    expect(readShown(body)).toBeUndefined()
  })
})
