import { describe, expect, test } from 'vitest'
import { chooseModel, type Lister, parseModel } from '../../src/cli/models.js'
import { ToolwireError } from '../../src/errors/error.js'
import { providerServer } from '../../src/testing/index.js'
import type { ListedModel } from '../../src/wire/directory.js'

const lists =
  (...models: readonly ListedModel[]): Lister =>
  async () =>
    models
const noOllama: Lister = async () => {
  throw new ToolwireError('network', 'nobody there')
}

describe('--model', () => {
  test.each([
    ['anthropic:claude-x', 'anthropic', 'claude-x'],
    ['openai:gpt-x', 'openai', 'gpt-x'],
    ['openai-responses:gpt-x', 'openai-responses', 'gpt-x'],
    ['gemini:gemini-x', 'gemini', 'gemini-x'],
    ['xai:grok-x', 'xai', 'grok-x'],
    ['ollama:qwen3:0.6b', 'ollama', 'qwen3:0.6b'],
    ['local:org/model', 'local', 'org/model'],
  ])('%s is a vendor and a model', (text, vendor, model) => {
    expect(parseModel(text)).toMatchObject({ type: 'vendor', vendor, model })
  })

  test('a vendor alone leaves the model to it; an empty model is refused', () => {
    expect(parseModel('anthropic')).toMatchObject({ vendor: 'anthropic', model: undefined })
    expect(() => parseModel('openai:')).toThrow('openai:<model>')
  })

  test('offline takes a wire', () => {
    expect(parseModel('offline')).toEqual({ type: 'offline', wire: 'anthropic' })
    expect(parseModel('offline:gemini')).toEqual({ type: 'offline', wire: 'gemini' })
    expect(() => parseModel('offline:soap')).toThrow('there is no wire "soap"')
  })

  test.each(['gpt-x', 'constructor:x', '__proto__', ''])('"%s" is refused with the vendors there are', (text) => {
    expect(() => parseModel(text)).toThrow(/names no model.*anthropic.*offline/)
  })
})

describe('which model is taken', () => {
  test('the first key that is set, before Ollama, and a model that the vendor lists', async () => {
    const env = { OPENAI_API_KEY: 'k', XAI_API_KEY: 'k', ANTHROPIC_API_KEY: '' }
    const list = lists(
      { id: 'tts-1', createdSeconds: 9 },
      { id: 'gpt-8', createdSeconds: 8 },
      { id: 'gpt-7', createdSeconds: 7 },
    )
    const { choice, why } = await chooseModel({}, env, list)
    expect(choice).toMatchObject({ vendor: 'openai', model: 'gpt-8' })
    expect(why).toBe('OPENAI_API_KEY is set; the newest that fits of 3 it lists')
  })

  test.each<[string, readonly string[], string]>([
    ['anthropic', ['claude-opus-9', 'claude-sonnet-9', 'claude-sonnet-8'], 'claude-sonnet-9'],
    [
      'openai-responses',
      ['gpt-image-2', 'gpt-9-pro', 'gpt-9-sol', 'gpt-9-sol-2026-01-01', 'gpt-9-audio-preview'],
      'gpt-9-sol',
    ],
    [
      'gemini',
      ['gemini-2.5-pro', 'gemini-10.0-flash', 'gemini-10.0-pro', 'gemini-10.0-pro-image', 'imagen-9'],
      'gemini-10.0-pro',
    ],
    ['xai', ['grok-5', 'grok-5-image', 'grok-imagine'], 'grok-5'],
    ['ollama', ['nomic-embed-text:latest', 'qwen3:8b', 'zeta'], 'qwen3:8b'],
    ['local', ['text-embedding-x', 'my/model'], 'my/model'],
  ])('of %s the newest that holds conversations is taken', async (vendor, ids, expected) => {
    const { choice } = await chooseModel({ model: vendor }, {}, lists(...ids.map((id) => ({ id }))))
    expect(choice).toMatchObject({ vendor, model: expected })
  })

  test.each(['anthropic', 'openai', 'openai-responses', 'gemini', 'xai', 'ollama', 'local'])(
    'a server at --base-url is asked for its models as %s does it',
    async (vendor) => {
      const models = ['claude-sonnet-9', 'gpt-9', 'gemini-9-pro', 'grok-9']
      await using server = await providerServer({ models })
      const { choice } = await chooseModel({ model: vendor, baseUrl: server.url }, {})
      expect(models).toContain(choice.type === 'vendor' ? choice.model : undefined)
    },
  )

  test('where nothing fits or nothing can be listed, it says how to name a model', async () => {
    await expect(chooseModel({}, { OPENAI_API_KEY: 'k' }, lists({ id: 'whisper-9' }))).rejects.toMatchObject({
      code: 'misuse',
      message: expect.stringMatching(/--model openai:<model> \(it lists whisper-9\)/),
    })
    await expect(chooseModel({}, { XAI_API_KEY: 'k' }, noOllama)).rejects.toMatchObject({
      code: 'network',
      message: expect.stringMatching(/models of xai cannot be listed: nobody there; name one with --model xai:<model>/),
    })
  })

  test('then the first model of a running Ollama, then the offline engine', async () => {
    expect((await chooseModel({}, {}, lists({ id: 'llama:1b' }))).choice).toMatchObject({
      vendor: 'ollama',
      model: 'llama:1b',
    })
    const { choice, why } = await chooseModel({}, {}, noOllama)
    expect(choice).toEqual({ type: 'offline', wire: 'anthropic' })
    expect(why).toContain('no Ollama is running')
  })

  test('--wire alone means the offline engine, whatever keys are set', async () => {
    const { choice } = await chooseModel({ wire: 'ollama' }, { OPENAI_API_KEY: 'k' }, noOllama)
    expect(choice).toEqual({ type: 'offline', wire: 'ollama' })
    const named = await chooseModel({ model: 'offline', wire: 'gemini' }, {}, noOllama)
    expect(named.choice).toEqual({ type: 'offline', wire: 'gemini' })
  })

  test('flags that do not go together are misuse', async () => {
    const misuse = expect.objectContaining({ code: 'misuse' })
    await expect(chooseModel({ baseUrl: 'http://x' }, {}, noOllama)).rejects.toEqual(misuse)
    await expect(chooseModel({ model: 'offline', baseUrl: 'http://x' }, {}, noOllama)).rejects.toEqual(misuse)
    await expect(chooseModel({ model: 'openai:x', wire: 'gemini' }, {}, noOllama)).rejects.toEqual(misuse)
  })
})
