// Resources of MCP servers, as they are listed and read: servers leave out what is optional and add what nobody knows.
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json } from '../../src/json/types.js'
import type { Ask } from '../../src/mcp/ask.js'
import { listResources, readResource } from '../../src/mcp/resources.js'

/** A server that answers every request with the same result. */
const serverWith = (result: Json): Ask => (() => Promise.resolve(result)) as unknown as Ask

describe('a listed resource', () => {
  test('has all that the server says of it', async () => {
    const resource = { uri: 'file:///a.txt', name: 'a', description: 'The file a', mimeType: 'text/plain' }
    expect(await listResources(serverWith({ resources: [resource] }))).toEqual([
      { uri: 'file:///a.txt', name: 'a', description: 'The file a', mediaType: 'text/plain' },
    ])
  })

  test.each<[string, Json]>([
    ['missing', { uri: 'file:///a.txt' }],
    ['null', { uri: 'file:///a.txt', name: null, description: null, mimeType: null }],
    ['of another type', { uri: 'file:///a.txt', name: 7, description: ['x'], mimeType: {} }],
  ])('is named by its URI where its name is %s', async (_, resource) => {
    expect(await listResources(serverWith({ resources: [resource] }))).toEqual([
      { uri: 'file:///a.txt', name: 'file:///a.txt' },
    ])
  })

  test.each<[string, Json]>([
    ['no object', 'file:///a.txt'],
    ['null', null],
    ['without a URI', { name: 'a' }],
    ['with a URI that is no text', { uri: 7, name: 'a' }],
  ])('that is %s is left out, and the others are kept', async (_, odd) => {
    const listed = await listResources(serverWith({ resources: [odd, { uri: 'b:', name: 'b' }] }))
    expect(listed).toEqual([{ uri: 'b:', name: 'b' }])
  })
})

describe('a resource that is read', () => {
  test('is text as text, images as images and the rest as files', async () => {
    const contents = [
      { uri: 'a:', text: 'Hello' },
      { uri: 'b:', mimeType: 'image/png', blob: 'AAAA' },
      { uri: 'c:', mimeType: 'application/pdf', blob: 'BBBB' },
      { uri: 'd:', blob: 'CCCC' },
    ]
    const parts = await readResource(serverWith({ contents }), 'a:')
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image', 'file', 'file'])
    expect(parts[0]).toEqual({ type: 'text', text: 'Hello' })
    expect(parts[1]).toMatchObject({ mediaType: 'image/png' })
    expect(parts[2]).toMatchObject({ mediaType: 'application/pdf' })
  })

  test('without contents is a malformed response that names it', async () => {
    await expect(readResource(serverWith({}), 'a:x')).rejects.toMatchObject({
      code: 'malformed_response',
      message: expect.stringContaining('"a:x"'),
    })
  })

  test('and that the server refuses is a coded error that names it', async () => {
    const ask = (() => Promise.reject(new McpError(ErrorCode.InvalidParams, 'no such thing'))) as unknown as Ask
    const failure = await readResource(ask, 'a:x').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ToolwireError)
    expect((failure as ToolwireError).message).toContain('a:x')
  })
})
