// Signed turns come home to the calls they made, also where answers without a name give calls of different turns the same ids.
import { expect, test } from 'vitest'
import type { AssistantMessage, Message } from '../../src/conversation/messages.js'
import { continuationStore } from '../../src/gateway/continuations.js'

const origin = { wire: 'gemini' } as const
function turn(city: string, signature?: string): AssistantMessage {
  const call = { type: 'tool_call', id: 'call_made', name: 'look', arguments: JSON.stringify({ city }) } as const
  if (signature === undefined) return { role: 'assistant', content: [call] }
  return { role: 'assistant', content: [{ ...call, opaque: { origin, data: { signature } } }] }
}
const asked: Message = { role: 'user', content: [{ type: 'text', text: 'Go' }] }

test('each turn has its own signature, however often the ids repeat', () => {
  const store = continuationStore(10)
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
  const store = continuationStore(2)
  for (let index = 0; index < 50; index += 1) store.remember(turn(`city ${index}`, 'signed'), 'team')
  const kept = Array.from({ length: 50 }, (_, index) => store.restored([turn(`city ${index}`)], 'team')[0])
  expect(kept.filter((message) => JSON.stringify(message).includes('signed'))).toHaveLength(8)
  store.remember(turn('city 49', 'signed anew'), 'team')
  expect(store.restored([turn('city 49')], 'team')).toEqual([turn('city 49', 'signed anew')])
})
