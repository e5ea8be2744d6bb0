import { describe, expect, test } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { ConversationManager } from '../../src/conversation/conversation-manager.js'

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

describe('ConversationManager', () => {
  test('1,000 parallel adders lose nothing and keep the order in which they asked', async () => {
    const manager = new ConversationManager()
    const adders = Array.from({ length: 1_000 }, (_, index) =>
      manager.update(async (conversation) => {
        if (index % 50 === 0) await pause()
        return conversation.user(String(index))
      }),
    )
    await Promise.all(adders)
    const texts = manager.current.messages.map((message) => (message.role === 'user' ? message.content[0] : undefined))
    expect(texts).toEqual(Array.from({ length: 1_000 }, (_, index) => ({ type: 'text', text: String(index) })))
  })

  test('a failing update rejects for its caller, changes nothing and does not hold up the next', async () => {
    const manager = new ConversationManager(new Conversation().user('one'))
    const failing = manager.update(async () => {
      await pause()
      throw new Error('no')
    })
    const throwing = manager.update(() => {
      throw new Error('at once')
    })
    const next = manager.user('two')
    await expect(failing).rejects.toThrow('no')
    await expect(throwing).rejects.toThrow('at once')
    expect((await next).length).toBe(2)
  })

  test('current is the last finished update, and each update resolves with what it left', async () => {
    const manager = new ConversationManager()
    const first = manager.system('Be brief.')
    const second = manager.user('Hello')
    expect(manager.current.length).toBe(0)
    expect((await first).length).toBe(1)
    expect((await second).length).toBe(2)
    expect(manager.current).toBe(await second)
  })

  test('adds every kind of message, and tells whether tools must run', async () => {
    const manager = new ConversationManager()
    await manager.user('Weather?')
    await manager.assistant({
      role: 'assistant',
      content: [{ type: 'tool_call', id: 'a', name: 'get_weather', arguments: '{}' }],
    })
    expect(manager.requiresToolExecution).toBe(true)
    await manager.toolResults([{ callId: 'a', name: 'get_weather', content: [], isError: false }])
    expect(manager.requiresToolExecution).toBe(false)
    await manager.append({ role: 'user', content: [] })
    expect(Conversation.from(JSON.parse(JSON.stringify(manager))).messages).toEqual(manager.current.messages)
  })

  test('an update that gives something else is misuse', async () => {
    const manager = new ConversationManager()
    const wrong = manager.update(() => 'text' as unknown as Conversation)
    await expect(wrong).rejects.toMatchObject({ code: 'misuse' })
    expect(manager.current.length).toBe(0)
  })
})
