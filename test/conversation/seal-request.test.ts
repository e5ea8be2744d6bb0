// Settings of a request that say nothing, or name what is not there: left out, and reported.
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { codecs, profileOf } from '../../src/wire/index.js'

const base: CompletionRequest = { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }

describe.each(Object.values(codecs))('on $wire', (codec) => {
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }

  test.each<[string, Partial<CompletionRequest>]>([
    ['/tools', { tools: [] }],
    ['/stop', { stop: [] }],
    ['/reasoning', { reasoning: {} }],
  ])('an empty %s is left out and reported', (path, setting) => {
    const sealed = codec.seal({ ...base, ...setting }, env)
    expect(sealed.request).toEqual(base)
    expect(sealed.losses.map((loss) => [loss.code, loss.path, loss.kind])).toEqual([
      ['setting_empty', path, 'repaired'],
    ])
  })

  test('half of a surrogate pair in a tool or a setting is replaced and reported', () => {
    const { request, losses } = codec.seal(
      {
        ...base,
        tools: [{ name: 'add', description: 'a\ud800', inputSchema: { type: 'object', properties: { '\udc00': {} } } }],
        stop: ['END', '\udc00'],
      },
      env,
    )
    expect(request.tools).toEqual([
      { name: 'add', description: 'a\ufffd', inputSchema: { type: 'object', properties: { '\ufffd': {} } } },
    ])
    expect(request.stop).toEqual(['END', '\ufffd'])
    expect(losses.map((loss) => [loss.code, loss.path, loss.kind])).toEqual([
      ['text_not_unicode', '/tools/0/description', 'repaired'],
      ['text_not_unicode', '/tools/0/inputSchema/properties/\udc00', 'repaired'],
      ['text_not_unicode', '/stop/1', 'repaired'],
    ])
  })
})

describe('a history with calls and a request without tools, on Anthropic', () => {
  const codec = codecs.anthropic
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const turn = (name: string): readonly Message[] => [
    { role: 'assistant', content: [{ type: 'tool_call', id: name, name, arguments: '{}' }] },
    { role: 'tool', results: [{ callId: name, name, content: [{ type: 'text', text: 'ok' }], isError: false }] },
  ]
  const history: CompletionRequest = { ...base, messages: [...base.messages, ...turn('a'), ...turn('b')] }
  const declared = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }))

  test('declares the tools that the history names, and allows no call', () => {
    const { request, losses } = codec.seal(history, env)
    expect(request).toEqual({ ...history, tools: declared, toolChoice: 'none' })
    expect(losses.map((loss) => [loss.code, loss.path, loss.kind])).toEqual([['tools_declared', '/tools', 'repaired']])
  })

  test('declares them when no given tool can be sent', () => {
    const search = { type: 'opaque', origin: { wire: 'openai-responses' }, data: { type: 'web_search' } } as const
    const { request } = codec.seal({ ...history, tools: [search], toolChoice: 'required' }, env)
    expect(request).toMatchObject({ tools: declared, toolChoice: 'none' })
  })

  test('leaves given tools alone', () => {
    const given: CompletionRequest = { ...history, tools: [{ name: 'c', inputSchema: { type: 'object' } }] }
    expect(codec.seal(given, env)).toEqual({ request: given, losses: [] })
  })

  test('a model that cannot be forced can still be told to call no tool', () => {
    const given: CompletionRequest = {
      ...history,
      model: 'claude-fable-5-1',
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
      toolChoice: 'none',
    }
    expect(codec.seal(given, env)).toEqual({ request: given, losses: [] })
  })
})
