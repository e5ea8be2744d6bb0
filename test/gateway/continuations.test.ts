// Signed turns come home to the calls they made, also where answers without a name give calls of different turns the same ids.
import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../src/conversation/messages.js'
import { continuationStore } from '../../src/gateway/continuations.js'
import { conversationStore } from '../../src/gateway/conversations.js'
import { storedBytes } from '../../src/gateway/stored-bytes.js'

const origin = { wire: 'gemini' } as const
function turn(city: string, signature?: string): AssistantMessage {
  const call = { type: 'tool_call', id: 'call_made', name: 'look', arguments: JSON.stringify({ city }) } as const
  if (signature === undefined) return { role: 'assistant', content: [call] }
  return { role: 'assistant', content: [{ ...call, opaque: { origin, data: { signature } } }] }
}
const asked: Message = { role: 'user', content: [{ type: 'text', text: 'Go' }] }

test('each turn has its own signature, however often the ids repeat', () => {
  const store = continuationStore(10, storedBytes(1_000_000))
  const cities = ['Boston', 'Zürich', 'Oslo']
  for (const city of cities) store.remember(turn(city, `signed ${city}`), 'team')
  const history = [asked, ...cities.map((city) => turn(city))]
  expect(
    store
      .restored(
        history.flatMap((message) => [message, asked]),
        'team',
      )
      .filter(({ role }) => role !== 'user'),
  ).toEqual(cities.map((city) => turn(city, `signed ${city}`)))
  expect(store.restored([asked, turn('Rome')], 'team')).toEqual([asked, turn('Rome')])
  expect(store.restored([asked, turn('Oslo')], 'other')).toEqual([asked, turn('Oslo')])
})

test('what is remembered is bounded, and the last of equal turns counts', () => {
  const store = continuationStore(2, storedBytes(1_000_000))
  for (let index = 0; index < 50; index += 1) store.remember(turn(`city ${index}`, 'signed'), 'team')
  const kept = Array.from({ length: 50 }, (_, index) => store.restored([turn(`city ${index}`)], 'team')[0])
  expect(kept.filter((message) => JSON.stringify(message).includes('signed'))).toHaveLength(8)
  store.remember(turn('city 49', 'signed anew'), 'team')
  expect(store.restored([turn('city 49')], 'team')).toEqual([turn('city 49', 'signed anew')])
})

describe('a turn whose calls come back without its text', () => {
  const store = continuationStore(10, storedBytes(1_000_000))
  const said = { type: 'text', text: 'I look it up.' } as const
  const whole: AssistantMessage = { role: 'assistant', content: [said, ...turn('Boston', 'signed').content] }
  store.remember(whole, 'team')

  test('is restored with its text and signature', () => {
    expect(store.restored([asked, turn('Boston')], 'team')).toEqual([asked, whole])
  })

  test('is restored when the text comes back with other white space', () => {
    const trimmed: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: ' I look it up.\n' }, ...turn('Boston').content],
    }
    expect(store.restored([asked, trimmed], 'team')).toEqual([asked, whole])
  })

  test('stays as the client sends it when text or arguments are others', () => {
    const edited: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: 'I look elsewhere.' }, ...turn('Boston').content],
    }
    for (const message of [edited, turn('Rome')]) expect(store.restored([message], 'team')).toEqual([message])
  })
})

test('signed turns and stored answers share one limit of bytes, and the longest unused goes first', () => {
  const memory = storedBytes(100_000)
  const store = continuationStore(1_000, memory)
  const conversations = conversationStore(1_000, memory)
  const signature = 's'.repeat(30_000)
  for (const city of ['Boston', 'Oslo', 'Rome']) {
    store.remember(
      {
        role: 'assistant',
        content: turn(city, signature).content.map((part) => ({ ...part, id: city })),
      } as AssistantMessage,
      'team',
    )
  }
  const isKept = (city: string): boolean => {
    const sent = {
      role: 'assistant',
      content: turn(city).content.map((part) => ({ ...part, id: city })),
    } as AssistantMessage
    return store.restored([sent], 'team')[0] !== sent
  }
  expect(['Boston', 'Oslo', 'Rome'].map(isKept)).toEqual([true, true, true])
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x'.repeat(50_000) }] }],
  }
  const call = conversations(request, { wire: 'openai-responses', model: 'm', stream: false }, 'team', false)
  call.keep?.({ id: 'resp_1', message: { role: 'assistant', content: [] } } as never)
  expect(['Boston', 'Oslo', 'Rome'].map(isKept)).toEqual([false, false, true])
  store.remember(turn('Paris', 's'.repeat(200_000)), 'team')
  expect(store.restored([turn('Paris')], 'team')).toEqual([turn('Paris')])
})
