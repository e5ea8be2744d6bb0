import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/conversation/messages.js'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import { markContentPair } from '../../src/tools/mcp-content.js'
import { byteLength, capText } from '../../src/tools/result-size.js'
import { errorText, resultOf, toolResult, toolResults } from '../../src/tools/results.js'
import { revoked } from './sample-tool.js'

const call = { id: 'c1', name: 'x' }
const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

class Point {
  x = 1
}
class Hidden {
  readonly #secret = 1
  get secret() {
    return this.#secret
  }
}
class Shown extends Hidden {
  toJSON() {
    return { shown: true }
  }
}
function* numbers() {
  yield 1
}
async function* later() {
  yield 1
}

describe('a value that JSON would leave empty is a failed result that says what to return', () => {
  it.each<[string, unknown, string, string]>([
    ['a generator', numbers(), 'an iterator', 'collect its items into an array'],
    ['an iterator of a map', new Map().keys(), 'an iterator', 'array'],
    ['an async generator', later(), 'an async iterator', 'read it to its end'],
    ['a stream', new Blob(['a']).stream(), 'a stream', 'read it to its end'],
    ["a stream of Node's", Readable.from(['a']), 'an async iterator', 'read it to its end'],
    ['a response', new Response('a'), 'a Response', 'await response.text()'],
    ['a blob', new Blob(['a']), 'binary data', 'base64'],
    ['bytes', new ArrayBuffer(2), 'binary data', 'base64'],
    ['headers', new Headers({ a: '1' }), 'an iterator', 'array'],
    ['an instance without fields', new Hidden(), 'an instance of Hidden without fields', 'toJSON'],
    ['a weak map', new WeakMap(), 'an instance of WeakMap without fields', 'plain object'],
    ['a promise inside', { rows: Promise.resolve([]) }, 'a promise inside the value', 'await it first'],
    ['a generator inside', { rows: [numbers()] }, 'an iterator', 'array'],
    ['a function', () => 1, 'a function', 'JSON'],
    ['a symbol', Symbol('s'), 'a symbol', 'JSON'],
  ])('%s', (_, value, kind, remedy) => {
    const result = resultOf(call, value)
    expect(result).toMatchObject({ isError: true, error: { category: 'unknown' } })
    expect(result.error?.message).toContain(`Tool "x" returned ${kind}, which can't be sent to a model; `)
    expect(result.error?.message).toContain(remedy)
  })
})

describe('what a tool returns becomes a result', () => {
  it.each([
    ['a string', 'hello', 'hello'],
    ['an empty string', '', ''],
    ['undefined', undefined, ''],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['a bigint', 12345678901234567890n, '12345678901234567890'],
    ['an object', { a: [1, null] }, '{"a":[1,null]}'],
    ['a cycle', cyclic, '{"self":"[circular]"}'],
    ['a list of strings', ['a', 'b'], '["a","b"]'],
    ['a list of three', ['a', {}, {}], '["a",{},{}]'],
    ['a text and a list', ['Boston', ['Cambridge', 'Salem']], '["Boston",["Cambridge","Salem"]]'],
    ['a text and an object', ['Boston', { state: 'MA' }], '["Boston",{"state":"MA"}]'],
    ['blocks and artifacts', [[{ type: 'text', text: 'a' }], {}], '[[{"type":"text","text":"a"}],{}]'],
    ['a map', new Map<unknown, unknown>([['a', 1]]), '{"a":1}'],
    ['a set', new Set(['a']), '["a"]'],
    ['an address', new URL('https://example.com/a'), '"https://example.com/a"'],
    ['a query', new URLSearchParams({ a: '1' }), '"a=1"'],
    ['a pattern', /a+/g, '"/a+/g"'],
    ['a typed array', Float64Array.of(1, 2.5), '[1,2.5]'],
    ['a boxed text', Object('abc'), '"abc"'],
    ['an error', new TypeError('bad'), '{"name":"TypeError","message":"bad"}'],
    ['an instance with fields', new Point(), '{"x":1}'],
    ['an instance with toJSON', new Shown(), '{"shown":true}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [
      'an object with content of its own',
      { content: [{ type: 'paragraph', text: 'a' }] },
      '{"content":[{"type":"paragraph","text":"a"}]}',
    ],
    [
      'an object with content and more',
      { content: [{ type: 'text', text: 'a' }], page: 2 },
      '{"content":[{"type":"text","text":"a"}],"page":2}',
    ],
    ['a __proto__ key', JSON.parse('{"__proto__":{"isError":true}}'), '{"__proto__":{"isError":true}}'],
  ])('%s', (_, value, text) => {
    const result = resultOf(call, value)
    expect(result).toEqual({
      callId: 'c1',
      name: 'x',
      content: text === '' ? [] : [{ type: 'text', text }],
      isError: false,
    })
  })

  it('a value that cannot be read is a failed result', () => {
    expect(resultOf(call, revoked())).toMatchObject({
      isError: true,
      error: { category: 'unknown', message: 'The tool returned a value that cannot be read' },
    })
  })

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withNullPrototype: true }), (value) => {
        const result = resultOf(call, value)
        expect(result.callId).toBe('c1')
        JSON.stringify(result)
      }),
    )
  })
})

describe('MCP results', () => {
  it('text with artifacts: the model gets the text', () => {
    expect(resultOf(call, markContentPair(['Paris', [{ uri: 'file:///a' }]]))).toEqual({
      callId: 'c1',
      name: 'x',
      content: [{ type: 'text', text: 'Paris' }],
      isError: false,
      artifacts: { artifacts: [{ uri: 'file:///a' }] },
    })
  })

  it('content blocks: text joined, images as images, the rest and structured content kept', () => {
    const audio = { type: 'audio', data: 'UklG', mimeType: 'audio/wav' }
    const value = {
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'iVBO', mimeType: 'image/png' },
        audio,
        { type: 'text', text: 'two' },
      ],
      structuredContent: { count: 2 },
    }
    expect(resultOf(call, value)).toEqual({
      callId: 'c1',
      name: 'x',
      content: [
        { type: 'text', text: 'one\ntwo' },
        { type: 'image', mediaType: 'image/png', data: 'iVBO' },
      ],
      isError: false,
      artifacts: { structuredContent: { count: 2 }, content: [audio] },
    })
  })

  it.each([
    ['structured content alone is shown as JSON', { content: [], structuredContent: { n: 1 } }, '{"n":1}'],
    [
      'an embedded text alone is shown',
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'hello' } }] },
      'hello',
    ],
    ['a link alone is named', { content: [{ type: 'resource_link', uri: 'a:b', name: 'n' }] }, '[resource_link: a:b]'],
    ['a sound alone is named', { content: [{ type: 'audio', data: 'AA', mimeType: 'audio/wav' }] }, '[audio]'],
  ])('%s', (_, value, text) => {
    expect(textOf(resultOf(call, value).content)).toBe(text)
  })

  it('an error is a failed result with the redacted text, or none', () => {
    const value = { content: [{ type: 'text', text: 'login failed: password=hunter22' }], isError: true }
    const failed = resultOf(call, value)
    expect(failed.error).toEqual({ category: 'unknown', message: 'login failed: password=[redacted]' })
    expect(errorText(failed)).toBe('Error: login failed: password=[redacted]')
    expect(resultOf(call, value, { exposeErrors: 'category' }).error?.message).toBe('the reason is withheld')
  })

  it('an image too large to send is left out, and the text says so', () => {
    const data = 'A'.repeat(16_777_217)
    const result = resultOf(call, { content: [{ type: 'image', data, mimeType: 'image/png' }] })
    expect(textOf(result.content)).toContain('[an image of 16777217 base64 characters was left out]')
    expect(result.content).toHaveLength(1)
  })
})

describe('a finished result', () => {
  it('passes under the id and name of the call it answers', () => {
    const made = toolResult.success({ id: 'other', name: 'y' }, { ok: 1 })
    expect(resultOf(call, made)).toEqual({ ...made, callId: 'c1', name: 'x' })
  })

  it('keeps its images, artifacts and extra', () => {
    const made = {
      callId: '',
      name: '',
      content: [
        { type: 'text', text: 't' },
        { type: 'image', url: 'https://a/b.png' },
      ],
      isError: false,
      artifacts: { a: 1 },
      extra: { anthropic: { cache_control: { type: 'ephemeral' } } },
    }
    expect(resultOf(call, made)).toEqual({ ...made, callId: 'c1', name: 'x' })
  })

  it('that failed without a record gets one', () => {
    const made = { callId: 'c1', name: 'x', content: [{ type: 'text', text: 'bad' }], isError: true }
    expect(resultOf(call, made).error).toEqual({ category: 'unknown', message: 'bad' })
  })
})

describe('results by hand', () => {
  it('a success looks as if a tool had returned it', () => {
    expect(toolResult.success(call, { a: 1 })).toEqual(resultOf(call, { a: 1 }))
  })

  it.each([
    ['a message', 'not today', { category: 'unknown', message: 'not today' }],
    ['a record', { category: 'rate_limited', message: 'slow' }, { category: 'rate_limited', message: 'slow' }],
    ['a ToolExecutionError', new ToolExecutionError('cancelled', 'stop'), { category: 'cancelled', message: 'stop' }],
    ['any other error', new Error('api_key=abcdef123456'), { category: 'unknown', message: 'api_key=[redacted]' }],
  ])('an error from %s', (_, error, record) => {
    const result = toolResult.error(call, error)
    expect(result.error).toEqual(record)
    expect(textOf(result.content)).toBe(`Tool execution failed (${record.category}): ${record.message}`)
  })

  it('are gathered in one tool message', () => {
    const results = [toolResult.success(call, 'a')]
    expect(toolResults(results)).toEqual({ role: 'tool', results })
  })

  it('the text for LangChain is the plain text of a success', () => {
    expect(errorText(toolResult.success(call, 'fine'))).toBe('fine')
  })
})

describe('the size cap', () => {
  it('keeps head and tail and says how much was left out of how much', () => {
    const text = `${'a'.repeat(50_000)}${'z'.repeat(150_000)}`
    const shown = textOf(resultOf(call, text).content)
    const line = /\n\[… (\d+) of 200000 bytes left out …\]\n/.exec(shown)
    expect(line).not.toBeNull()
    expect(byteLength(shown)).toBeLessThanOrEqual(100_000)
    expect(shown.startsWith('aaa')).toBe(true)
    expect(shown.endsWith('zzz')).toBe(true)
    expect(Number(line?.[1])).toBe(200_000 - (byteLength(shown) - byteLength(line?.[0] ?? '')))
  })

  it('holds for failures and finished results too', () => {
    const long = 'm'.repeat(1000)
    const made = { callId: 'c1', name: 'x', content: [{ type: 'text', text: long }], isError: false }
    expect(byteLength(textOf(resultOf(call, made, { maxResultBytes: 200 }).content))).toBeLessThanOrEqual(200)
    const failed = { content: [{ type: 'text', text: long }], isError: true }
    expect(byteLength(textOf(resultOf(call, failed, { maxResultBytes: 200 }).content))).toBeLessThanOrEqual(200)
  })

  it('counts bytes as an encoder does and never cuts a character in two', () => {
    const units = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00'), maxLength: 400 })
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 500 }), (text, maxBytes) => {
        const encoded = new TextEncoder().encode(text).length
        expect(byteLength(text)).toBe(encoded)
        const capped = capText(text, maxBytes)
        if (encoded <= maxBytes) expect(capped).toBe(text)
        else expect(byteLength(capped)).toBeLessThanOrEqual(Math.max(maxBytes, 60))
        if (text.isWellFormed()) expect(capped.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('ToolExecutionError', () => {
  it('keeps its category and details as JSON', () => {
    const error = new ToolExecutionError('rate_limited', 'slow down', { details: { wait: '3 s' } })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'tool_failed',
      message: 'slow down',
      retryable: false,
      category: 'rate_limited',
      details: { wait: '3 s' },
    })
    expect(JSON.parse(JSON.stringify(new ToolExecutionError('unknown', 'no')))).not.toHaveProperty('details')
  })

  it('refuses a category that there is none of', () => {
    const make = () => new ToolExecutionError('too_slow' as never, 'x')
    expect(make).toThrow(expect.objectContaining({ code: 'misuse', message: expect.stringContaining('too_slow') }))
  })

  it('returned instead of thrown, it shows its category and details', () => {
    const error = new ToolExecutionError('resource_not_found', 'no such city', { details: { city: 'Atlantis' } })
    expect(textOf(resultOf(call, error).content)).toContain('"category":"resource_not_found"')
  })
})
