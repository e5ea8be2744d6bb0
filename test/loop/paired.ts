// What every history a run returns must be: each call answered once, in call order, in the message behind it.
import { expect } from 'vitest'
import { Conversation } from '../../src/conversation/conversation.js'
import { isCall, type Message } from '../../src/conversation/messages.js'

export function expectPaired(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : []
    const next = messages[index + 1]
    if (calls.length > 0) {
      expect(next?.role === 'tool' ? next.results.map((result) => result.callId) : []).toEqual(
        calls.map((call) => call.id),
      )
    }
    if (message.role !== 'tool') return
    const before = messages[index - 1]
    expect(before?.role === 'assistant' && before.content.some(isCall)).toBe(true)
  })
  expect(Conversation.from(JSON.parse(JSON.stringify(messages))).messages).toEqual(messages)
}
