// What is said when an MCP server fails: which code, which server, why, and what to do; never a key.
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode as McpCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { type ErrorCode, ToolwireError } from '../../src/errors/error.js'
import {
  type Circumstances,
  connectFailure,
  isUnreachable,
  requestFailure,
  wasNotTaken,
} from '../../src/mcp/failures.js'

const key = 'secret-key-1234'
const remote: Circumstances = {
  name: 'remote',
  spec: { url: 'https://mcp.example/mcp?x=1', headers: { authorization: `Bearer ${key}` } },
  ending: undefined,
  stderr: '',
  tooLong: undefined,
}
const local: Circumstances = {
  name: 'local',
  spec: { command: 'my-server', args: [] },
  ending: undefined,
  stderr: '',
  tooLong: undefined,
}

const refused = (code: string): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })
const http = (code: number | undefined, text = 'no'): StreamableHTTPError => new StreamableHTTPError(code, text)

describe('a server over HTTP that answers with a status', () => {
  test.each<[number | undefined, ErrorCode, string]>([
    [401, 'authentication', 'check the key'],
    [403, 'permission', 'may do'],
    [404, 'not_found', 'often is /mcp'],
    [408, 'timeout', ''],
    [429, 'rate_limited', ''],
    [400, 'invalid_request', ''],
    [499, 'invalid_request', ''],
    [500, 'server_error', ''],
    [501, 'server_error', ''],
    [502, 'network', ''],
    [503, 'network', ''],
    [504, 'timeout', ''],
    [undefined, 'invalid_request', ''],
  ])('%s', (status, code, advice) => {
    const connecting = connectFailure(http(status, `the words ${key}`), remote, undefined)
    const requesting = requestFailure(http(status, `the words ${key}`), remote, false) as ToolwireError
    for (const error of [connecting, requesting]) {
      expect(error).toMatchObject({ code, detail: { server: 'remote' } })
      expect(error.message).toContain('the MCP server "remote"')
      expect(error.message).toContain('the words')
      expect(error.message).toContain(advice)
      expect(error.message).not.toContain(key)
    }
    expect(connecting.message).toContain('cannot be reached')
    expect(requesting.message).toContain('refused')
  })

  test('with a long text is quoted in part', () => {
    expect(connectFailure(http(500, 'x'.repeat(5000)), remote, undefined).message.length).toBeLessThan(500)
  })
})

describe('a server that cannot be connected', () => {
  test.each<[string, unknown, Circumstances, number | undefined, ErrorCode, readonly string[]]>([
    ['in time', new Error('x'), remote, 500, 'timeout', ['within 500 ms', 'over streamable HTTP']],
    ['in time, as a child', new Error('x'), local, 500, 'timeout', ['within 500 ms', 'standard input']],
    ['for a reason of our own', new ToolwireError('misuse', 'a bad spec'), local, undefined, 'misuse', ['a bad spec']],
    [
      'because nothing listens',
      refused('ECONNREFUSED'),
      remote,
      undefined,
      'network',
      ['https://mcp.example', 'ECONNREFUSED', 'check that it runs'],
    ],
    [
      'because there is no such command',
      Object.assign(new Error('x'), { code: 'ENOENT' }),
      local,
      undefined,
      'network',
      ['"my-server"', 'PATH'],
    ],
    [
      'because it ended',
      new Error('x'),
      { ...local, ending: 'exit code 3', stderr: ' no config \n' },
      undefined,
      'network',
      ['ended with exit code 3', 'it wrote: no config'],
    ],
    [
      'because it ended without a word',
      new Error('x'),
      { ...local, ending: 'exit code 3' },
      undefined,
      'network',
      ['wrote nothing'],
    ],
    [
      'because it speaks something else',
      new Error('odd words'),
      local,
      undefined,
      'server_error',
      ['not as an MCP server should', 'odd words'],
    ],
    ['because of something that is no error', 'odd words', local, undefined, 'server_error', ['odd words']],
  ])('%s', (_, error, about, timedOut, code, words) => {
    const failure = connectFailure(error, about, timedOut)
    expect(failure).toMatchObject({ code, cause: error, detail: { server: about.name } })
    expect(failure.message).toContain(about === remote ? 'cannot be reached' : 'cannot be started')
    for (const word of words) expect(failure.message).toContain(word)
  })

  test('names the folder where that may be missing', () => {
    const about: Circumstances = { ...local, spec: { command: 'my-server', args: [], cwd: '/no/such/folder' } }
    const missing = Object.assign(new Error('x'), { code: 'ENOENT' })
    expect(connectFailure(missing, about, undefined).message).toContain('"/no/such/folder"')
    expect(connectFailure(missing, local, undefined).message).not.toContain('directory')
  })

  test('quotes the end of what it wrote', () => {
    const stderr = `begin${'x'.repeat(1000)}end`
    const { message } = connectFailure(new Error('x'), { ...local, ending: 'a signal', stderr }, undefined)
    expect(message).toContain('end')
    expect(message).not.toContain('begin')
  })
})

describe('a request that gets no answer', () => {
  const lost = new McpError(McpCode.ConnectionClosed, 'closed')
  const answered = new McpError(McpCode.InvalidParams, 'bad')

  test('because the server went away may have taken effect', () => {
    for (const error of [lost, new Error('gone')]) {
      const failure = requestFailure(error, { ...local, ending: 'signal SIGKILL' }, true) as ToolwireError
      expect(failure).toMatchObject({ code: 'network', cause: error })
      expect(failure.message).toContain('went away with signal SIGKILL')
      expect(failure.message).toContain('not known')
    }
    expect((requestFailure(lost, remote, true) as ToolwireError).message).toContain('went away while')
  })

  test('keeps what the server answered, and errors of our own', () => {
    const own = new ToolwireError('aborted', 'stopped')
    expect(requestFailure(answered, local, true)).toBe(answered)
    expect(requestFailure(answered, local, false)).toBe(answered)
    expect(requestFailure(own, local, true)).toBe(own)
  })

  test('but something else is a malformed response', () => {
    expect(requestFailure(new Error('odd'), local, false)).toMatchObject({
      code: 'malformed_response',
      message: expect.stringContaining('odd'),
    })
  })
})

test('a request is sent again only where it was not looked at', () => {
  const rows: readonly (readonly [unknown, boolean])[] = [
    [http(404), true],
    [http(400), true],
    [http(401), false],
    [http(500), false],
    [refused('ECONNREFUSED'), true],
    [refused('ECONNRESET'), false],
    [new Error('x'), false],
  ]
  for (const [error, expected] of rows) expect([String(error), wasNotTaken(error)]).toEqual([String(error), expected])
})

test('a connection is taken for broken by its errors, not by ours', () => {
  expect(isUnreachable(refused('ECONNRESET'))).toBe(true)
  expect(isUnreachable(new TypeError('terminated'))).toBe(true)
  expect(isUnreachable(new Error('bad answer'))).toBe(false)
  expect(isUnreachable(new ToolwireError('aborted', 'stopped', { cause: refused('ECONNRESET') }))).toBe(false)
})
