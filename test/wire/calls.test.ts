// The assembler against what real servers do: each row is a list of fragments and the calls that must come out.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { FinishReason } from '../../src/conversation/response.js'
import { type CallFragment, callAssembler } from '../../src/wire/calls.js'
import { madeCallId, madeIdLength } from '../../src/wire/names.js'

interface Row {
  readonly name: string
  readonly fragments: readonly CallFragment[]
  readonly finish?: FinishReason
  readonly calls: readonly string[]
  readonly repairs?: readonly string[]
}

const made = (ordinal: number): string => madeCallId('r', ordinal)

const rows: readonly Row[] = [
  {
    name: 'two calls in fragments, by index',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '' },
      { index: 0, text: '{"x"' },
      { index: 1, id: 'b', name: 'add', text: '' },
      { index: 0, text: ':1}' },
      { index: 1, text: '{"x":2}' },
    ],
    calls: ['a add {"x":1}', 'b add {"x":2}'],
  },
  {
    name: 'the index is always 0, the ids differ',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":1}' },
      { index: 0, id: 'b', name: 'add', text: '{"x":2}' },
    ],
    calls: ['a add {"x":1}', 'b add {"x":2}'],
  },
  {
    name: 'the index is always 0 and the calls come in fragments without ids',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '' },
      { index: 0, text: '{"x":1}' },
      { index: 0, id: 'b', name: 'add', text: '' },
      { index: 0, text: '{"x":2}' },
    ],
    calls: ['a add {"x":1}', 'b add {"x":2}'],
  },
  {
    name: 'no index at all',
    fragments: [{ id: 'a', name: 'add', text: '{"x"' }, { text: ':1}' }, { id: 'b', name: 'add', text: '{"x":2}' }],
    calls: ['a add {"x":1}', 'b add {"x":2}'],
  },
  {
    name: 'neither index nor id, two calls of one tool',
    fragments: [
      { name: 'add', text: '{"x":1}' },
      { name: 'add', text: '{"x":2}' },
    ],
    calls: [`${made(0)} add {"x":1}`, `${made(1)} add {"x":2}`],
    repairs: ['call_id_missing', 'call_id_missing'],
  },
  {
    name: 'no id, two calls by index',
    fragments: [
      { index: 0, name: 'add', text: '{"x":1}' },
      { index: 1, name: 'add', text: '{"x":2}' },
    ],
    calls: [`${made(0)} add {"x":1}`, `${made(1)} add {"x":2}`],
    repairs: ['call_id_missing', 'call_id_missing'],
  },
  {
    name: 'the same id on two calls',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":1}' },
      { index: 1, id: 'a', name: 'add', text: '{"x":2}' },
    ],
    calls: ['a add {"x":1}', `${made(1)} add {"x":2}`],
    repairs: ['call_id_repeated'],
  },
  {
    name: 'empty arguments are an empty object',
    fragments: [{ index: 0, id: 'a', name: 'now', text: '' }],
    calls: ['a now {}'],
  },
  {
    name: 'id and name on every fragment',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x"' },
      { index: 0, id: 'a', name: 'add', text: ':1' },
      { index: 0, id: 'a', name: 'add', text: '}' },
    ],
    calls: ['a add {"x":1}'],
  },
  {
    name: 'id and name again on a blank last fragment',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":1}' },
      { index: 0, id: 'a', name: 'add', text: '' },
    ],
    calls: ['a add {"x":1}'],
  },
  {
    name: 'empty id and name on continuations',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x"' },
      { index: 0, id: '', name: '', text: ':1}' },
    ],
    calls: ['a add {"x":1}'],
  },
  {
    name: 'fragments, then all of it again',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x"' },
      { index: 0, text: ':1}' },
      { index: 0, text: '{"x":1}' },
    ],
    calls: ['a add {"x":1}'],
    repairs: ['arguments_repeated'],
  },
  {
    name: 'garbled fragments, then all of it again: never run',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":' },
      { index: 0, text: '{"x":1}' },
    ],
    calls: ['a add broken:malformed {"x":{"x":1}'],
  },
  {
    name: 'the head of a call under one index, its tail under the next',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":1}' },
      { index: 0, id: 'b', name: 'add', text: '' },
      { index: 1, text: '{"x":2}' },
    ],
    calls: ['a add {"x":1}', 'b add {"x":2}'],
    repairs: ['call_index_changed'],
  },
  {
    name: 'a new id on every fragment of one call',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x"' },
      { index: 0, id: 'b', text: ':1}' },
    ],
    calls: ['a add {"x":1}'],
    repairs: ['call_id_changed'],
  },
  {
    name: 'cut by the output limit',
    fragments: [{ index: 0, id: 'a', name: 'write', text: '{"text":"abc' }],
    finish: 'length',
    calls: ['a write broken:truncated {"text":"abc'],
  },
  {
    name: 'cut, but the server says tool_calls',
    fragments: [{ index: 0, id: 'a', name: 'write', text: '{"text":"abc' }],
    finish: 'tool_calls',
    calls: ['a write broken:malformed {"text":"abc'],
  },
  {
    name: 'the first call is whole, the second cut',
    fragments: [
      { index: 0, id: 'a', name: 'add', text: '{"x":1}' },
      { index: 1, id: 'b', name: 'add', text: '{"x"' },
    ],
    finish: 'length',
    calls: ['a add {"x":1}', 'b add broken:truncated {"x"'],
  },
  {
    name: 'arguments that are no object',
    fragments: [{ index: 0, id: 'a', name: 'add', text: '[1]' }],
    calls: ['a add broken:not_an_object [1]'],
  },
  {
    name: 'no name ever',
    fragments: [{ index: 0, id: 'a', text: '{"x":1}' }],
    calls: ['a  broken:no_name {"x":1}'],
  },
]

function assemble(fragments: readonly CallFragment[], finish: FinishReason = 'tool_calls'): CompletionEvent[] {
  const exchange = { wire: 'openai-chat', model: 'm', stream: true } as const
  const calls = callAssembler({ wire: 'openai-chat', exchange, deltas: false, responseId: () => 'r' })
  const events = fragments.flatMap((fragment) => [...calls.push(fragment, 8 + calls.count())])
  return [...events, ...calls.finish(finish, 7 + calls.count())]
}

function shown(event: CompletionEvent): string | undefined {
  if (event.type === 'tool_call') return `${event.call.id} ${event.call.name} ${event.call.arguments}`
  if (event.type !== 'broken_call') return undefined
  return `${event.call.id} ${event.call.name} broken:${event.call.reason} ${event.call.arguments}`
}

describe('the call assembler', () => {
  test.each(rows)('$name', ({ fragments, finish, calls, repairs }) => {
    const events = assemble(fragments, finish)
    expect(events.map(shown).filter((text) => text !== undefined)).toEqual(calls)
    const codes = events.flatMap((event) => (event.type === 'loss' ? [event.loss.code] : []))
    expect(codes).toEqual(repairs ?? [])
  })

  test('any cut of any arguments into fragments gives the same call', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat(), { maxLength: 8 }), (args, cuts) => {
        const text = JSON.stringify(args)
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
        const fragments = places.slice(1).map((end, index) => ({ index: 0, text: text.slice(places[index], end) }))
        const events = assemble([{ index: 0, id: 'a', name: 'add' }, ...fragments])
        expect(events.map(shown)).toEqual([`a add ${text}`])
      }),
    )
  })

  test('no proper prefix of valid arguments is ever runnable', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (args, cut) => {
        const text = JSON.stringify(args)
        const prefix = text.slice(0, 1 + (cut % (text.length - 1)))
        const [event] = assemble([{ index: 0, id: 'a', name: 'add', text: prefix }])
        expect(event?.type).toBe('broken_call')
      }),
    )
  })
})

test('an id that is made has one length', () => {
  expect([made(0), made(1_000_000)].map((id) => id.length)).toEqual([madeIdLength, madeIdLength])
})
