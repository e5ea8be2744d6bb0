// Settings of a request that say nothing, or name what is not there: left out, and reported.
import { describe, expect, test } from 'vitest'
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
