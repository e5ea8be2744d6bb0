import { describe, expect, test } from 'vitest'
import { chooseModel, parseModel } from '../../src/cli/models.js'

const noOllama = async (): Promise<undefined> => undefined

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

  test('a vendor alone has a model of its own, a local server has none', () => {
    expect(parseModel('anthropic')).toMatchObject({ vendor: 'anthropic', model: expect.stringMatching(/^claude-/) })
    expect(() => parseModel('local')).toThrow('local:<model>')
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
  test('the first key that is set, before Ollama', async () => {
    const env = { OPENAI_API_KEY: 'k', XAI_API_KEY: 'k', ANTHROPIC_API_KEY: '' }
    const { choice, why } = await chooseModel({}, env, async () => 'qwen3')
    expect(choice).toMatchObject({ vendor: 'openai' })
    expect(why).toBe('OPENAI_API_KEY is set')
  })

  test('then the first model of a running Ollama, then the offline engine', async () => {
    expect((await chooseModel({}, {}, async () => 'llama:1b')).choice).toMatchObject({
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
