// `seal` by example: each row is a history that some provider refuses, and what is sent instead.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freeze } from '../../src/conversation/freeze.js'
import type { Message, ToolCall, ToolResult } from '../../src/conversation/messages.js'
import { seal, unansweredText } from '../../src/conversation/seal.js'
import type { SealRules } from '../../src/conversation/seal-rules.js'
import { codecs, profileOf } from '../../src/wire/index.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'

const plain: SealRules = {
  wire: 'openai-chat',
  provider: 'openai',
  model: 'm',
  leadingSystem: 'keep',
  midSystem: 'keep',
  refusedText: 'empty',
  emptyMessages: 'keep',
  assistantOrder: 'free',
  userOrder: 'free',
  joinText: [],
  assistantRuns: 'keep',
  reasoning: 'own',
  uniqueIds: 'conversation',
  firstTurn: 'any',
  carries: () => true,
}
const strict: SealRules = {
  ...plain,
  leadingSystem: 'merge',
  midSystem: 'as_user',
  refusedText: 'blank',
  emptyMessages: 'drop',
  assistantOrder: 'slots',
  userOrder: 'text_first',
  joinText: ['system', 'user', 'assistant', 'reasoning', 'result'],
  assistantRuns: 'merge',
  reasoning: 'signed',
  firstTurn: 'user',
  carries: (_, place) => place === 'user',
}

const text = (words: string) => ({ type: 'text', text: words }) as const
const user = (words: string): Message => ({ role: 'user', content: [text(words)] })
const call = (id: string): ToolCall => ({ type: 'tool_call', id, name: 'add', arguments: '{}' })
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map(call),
})
const answer = (callId: string, words = 'ok'): ToolResult => ({
  callId,
  name: 'add',
  content: [text(words)],
  isError: false,
})
const said = (words: string): Message => ({ role: 'assistant', content: [text(words)] })
const results = (...list: readonly ToolResult[]): Message => ({ role: 'tool', results: list })

function shape(messages: readonly Message[]): readonly string[] {
  return messages.map((message) =>
    message.role === 'tool'
      ? `tool ${message.results.map((result) => `${result.callId}${result.isError ? '!' : ''}`).join(' ')}`
      : `${message.role} ${message.content.map((part) => ('id' in part ? part.id : 'text' in part ? part.text : part.type)).join(' ')}`,
  )
}

const rows: readonly {
  name: string
  rules?: SealRules
  given: readonly Message[]
  sent: readonly string[]
  codes: readonly string[]
}[] = [
  {
    name: 'a paired history is left alone',
    given: [user('hi'), calls('a', 'b'), results(answer('a'), answer('b')), user('more')],
    sent: ['user hi', 'assistant a b', 'tool a b', 'user more'],
    codes: [],
  },
  {
    name: 'a call nobody answered is answered as an error',
    given: [calls('a', 'b'), results(answer('b')), user('more')],
    sent: ['assistant a b', 'tool a! b', 'user more'],
    codes: ['result_missing'],
  },
  {
    name: 'results in the wrong order are put in call order',
    given: [calls('a', 'b'), results(answer('b'), answer('a'))],
    sent: ['assistant a b', 'tool a b'],
    codes: ['result_reordered'],
  },
  {
    name: 'results in several messages are one',
    given: [calls('a', 'b'), results(answer('a')), results(answer('b'))],
    sent: ['assistant a b', 'tool a b'],
    codes: ['results_joined'],
  },
  {
    name: 'a turn spread over several messages is joined when its results follow the last one',
    given: [user('hi'), said('Let me look.'), calls('a'), calls('b'), said(''), results(answer('a'), answer('b'))],
    sent: ['user hi', 'assistant Let me look. a b', 'tool a b'],
    codes: ['text_empty', 'assistant_merged'],
  },
  {
    name: 'a turn in a row that is answered in place is left alone',
    given: [user('hi'), said('Let me look.'), calls('a'), results(answer('a')), said('Done.'), said('Bye.')],
    sent: ['user hi', 'assistant Let me look.', 'assistant a', 'tool a', 'assistant Done.', 'assistant Bye.'],
    codes: [],
  },
  {
    name: 'a repeated id is answered in the last message that has it',
    rules: { ...plain, uniqueIds: 'turn' },
    given: [calls('a'), calls('a'), results(answer('a'))],
    sent: ['assistant a', 'tool a!', 'assistant a', 'tool a'],
    codes: ['result_missing'],
  },
  {
    name: 'a result under another name gets the name of its call',
    given: [calls('a'), results({ ...answer('a'), name: 'subtract' })],
    sent: ['assistant a', 'tool a'],
    codes: ['result_renamed'],
  },
  {
    name: 'a user turn between calls and results moves behind them',
    given: [calls('a'), user('wait'), results(answer('a'))],
    sent: ['assistant a', 'tool a', 'user wait'],
    codes: ['result_moved'],
  },
  {
    name: 'a result of no call is told as user text',
    given: [user('hi'), results(answer('x', 'lost'))],
    sent: ['user hi', 'user [Result of the tool "add"] lost'],
    codes: ['result_orphaned'],
  },
  {
    name: 'a second result for one call is left out',
    given: [calls('a'), results(answer('a', 'first'), answer('a', 'second'))],
    sent: ['assistant a', 'tool a'],
    codes: ['result_repeated'],
  },
  {
    name: 'adjacent system messages at the front become one where the wire has one place',
    rules: strict,
    given: [{ role: 'system', content: [text('a')] }, { role: 'system', content: [text('b')] }, user('hi')],
    sent: ['system ab', 'user hi'],
    codes: ['system_merged'],
  },
  {
    name: 'system text further on becomes user text where the wire takes none',
    rules: strict,
    given: [user('hi'), { role: 'system', content: [text('be brief')] }],
    sent: ['user hi', 'user be brief'],
    codes: ['system_as_user'],
  },
  {
    name: 'a history that begins with the assistant gets an opening',
    rules: strict,
    given: [{ role: 'assistant', content: [text('hello')] }],
    sent: ['user (The conversation starts with the answer of the assistant.)', 'assistant hello'],
    codes: ['opening_added'],
  },
  {
    name: 'parts are put in the order of the slots, and text is joined',
    rules: strict,
    given: [user('hi'), { role: 'assistant', content: [call('a'), text('one '), text('two')] }, results(answer('a'))],
    sent: ['user hi', 'assistant one two a', 'tool a'],
    codes: ['parts_reordered', 'text_joined'],
  },
  {
    name: 'reasoning of another provider stays at home',
    rules: strict,
    given: [
      user('hi'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', opaque: { origin: { wire: 'anthropic' }, data: { signature: 's' } } },
          text('yes'),
        ],
      },
    ],
    sent: ['user hi', 'assistant yes'],
    codes: ['reasoning_dropped'],
  },
]

describe('seal', () => {
  test.each(rows)('$name', ({ rules, given, sent, codes }) => {
    const before = structuredClone(given)
    const sealed = seal(given, rules ?? plain)
    expect(shape(sealed.messages)).toEqual(sent)
    expect(sealed.losses.map((loss) => loss.code)).toEqual(codes)
    expect(given).toEqual(before)
  })

  test('one id twice in a turn: each call keeps its own result', () => {
    const sealed = seal([calls('a', 'a'), results(answer('a', 'first'), answer('a', 'second'))], plain)
    const [turn, answers] = sealed.messages
    const ids = turn?.role === 'assistant' ? turn.content.map((part) => ('id' in part ? part.id : '')) : []
    expect(new Set(ids).size).toBe(2)
    const told = answers?.role === 'tool' ? answers.results : []
    expect(told.map((result) => [result.callId, result.content[0]])).toEqual([
      [ids[0], text('first')],
      [ids[1], text('second')],
    ])
  })

  test('images a result cannot carry follow in a user message', () => {
    const image = { type: 'image', url: 'https://example.com/a.png' } as const
    const sealed = seal(
      [user('hi'), calls('a'), results({ ...answer('a'), content: [text('see'), image] }), user('so?')],
      strict,
    )
    expect(sealed.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
    expect(sealed.messages[3]).toEqual({ role: 'user', content: [text('[Attached by the tool "add"]'), image] })
  })

  test('a placeholder says that the call was not answered', () => {
    const [, message] = seal([calls('a')], plain).messages
    expect(message?.role === 'tool' && message.results[0]?.content).toEqual([
      text(`Tool execution failed (cancelled): ${unansweredText}`),
    ])
  })

  test('half a surrogate pair is replaced', () => {
    const sealed = seal([user('a\ud800b')], plain)
    expect(sealed.messages[0]).toEqual(user('a\ufffdb'))
    expect(sealed.losses.map((loss) => loss.code)).toEqual(['text_not_unicode'])
  })

  test('half a surrogate pair is replaced in what a message, a part, a result and a block carry', () => {
    const extra = { [plain.wire]: { note: 'a\ud800', 'k\udc00': [1] } }
    const sealed = seal(
      [
        { role: 'user', content: [{ type: 'text', text: 'a', extra }], extra },
        { role: 'user', content: [{ type: 'opaque', origin: { wire: plain.wire }, data: { text: '\udfff' } }] },
        calls('a'),
        { role: 'tool', results: [{ ...answer('a'), extra }] },
      ],
      plain,
    )
    expect(JSON.stringify(sealed.messages)).not.toMatch(/\\ud/)
    expect(sealed.losses.filter((loss) => loss.code === 'text_not_unicode').map((loss) => loss.path)).toEqual([
      `/messages/0/extra/${plain.wire}/note`,
      `/messages/0/extra/${plain.wire}/k\udc00`,
      `/messages/0/content/0/extra/${plain.wire}/note`,
      `/messages/0/content/0/extra/${plain.wire}/k\udc00`,
      '/messages/1/content/0/data/text',
      `/messages/3/results/0/extra/${plain.wire}/note`,
      `/messages/3/results/0/extra/${plain.wire}/k\udc00`,
    ])
  })

  for (const [name, rules] of Object.entries({ plain, strict })) {
    test(`is total, idempotent and leaves its input alone (${name} rules)`, () => {
      fc.assert(
        fc.property(conversationArbitraries().messages, (messages) => {
          const given: Message[] = [user('hi'), ...messages]
          const before = JSON.stringify(given)
          const once = seal(given, rules)
          expect(JSON.stringify(given)).toBe(before)
          const twice = seal(once.messages, rules)
          expect(twice.losses).toEqual([])
          expect(twice.messages).toEqual(once.messages)
          once.messages.forEach((message, index) => {
            expect(twice.messages[index]).toBe(message)
          })
        }),
        { numRuns: 500 },
      )
    })
  }
})

/** Any of the demands that plain text, calls and results can meet or not. */
const someRules: fc.Arbitrary<SealRules> = fc
  .record({
    leadingSystem: fc.constantFrom('keep', 'merge'),
    midSystem: fc.constantFrom('keep', 'after_user', 'as_user'),
    refusedText: fc.constantFrom('none', 'empty', 'blank'),
    emptyMessages: fc.constantFrom('keep', 'drop'),
    assistantOrder: fc.constantFrom('free', 'slots'),
    joinText: fc.subarray([...strict.joinText]),
    assistantRuns: fc.constantFrom('keep', 'merge'),
    uniqueIds: fc.constantFrom('turn', 'conversation'),
    firstTurn: fc.constantFrom('any', 'user'),
  })
  .map((demands) => ({ ...plain, ...demands }))

/** Histories of few words and ids, so that most need little or nothing done. */
const plainMessages: fc.Arbitrary<readonly Message[]> = (() => {
  const words = fc.constantFrom('a', 'a', 'b', ' ', '').map(text)
  const someWords = fc.array(words, { maxLength: 2 })
  const id = fc.constantFrom('1', '2', '3', '')
  const turn = fc.array(fc.oneof(words, id.map(call)), { maxLength: 3 })
  const answered = turn.map((content): readonly Message[] => {
    const answers = content.flatMap((part) => (part.type === 'tool_call' ? [answer(part.id)] : []))
    return [{ role: 'assistant', content }, ...(answers.length === 0 ? [] : [results(...answers)])]
  })
  const one = fc.oneof(
    someWords.map((content): Message => ({ role: 'system', content })),
    someWords.map((content): Message => ({ role: 'user', content })),
    turn.map((content): Message => ({ role: 'assistant', content })),
    fc
      .array(
        id.map((callId) => answer(callId)),
        { maxLength: 2 },
      )
      .map((list) => results(...list)),
  )
  return fc
    .array(
      fc.oneof(
        answered,
        one.map((message) => [message]),
      ),
      { maxLength: 5 },
    )
    .map((turns) => turns.flat())
})()

test('what needs no repair is left alone beside what needs one', () => {
  let left = 0
  fc.assert(
    fc.property(plainMessages, someRules, fc.boolean(), (messages, rules, isOpened) => {
      const given = isOpened || rules.firstTurn === 'user' ? [user('hi'), ...messages] : messages
      if (seal(given, rules).losses.length > 0) return
      left += 1
      const sealed = seal([...given, user('half \ud800')], rules)
      expect(sealed.losses.map(({ path }) => path)).toEqual([`/messages/${given.length}/content/0/text`])
      expect(sealed.messages.slice(0, -1)).toEqual(given)
    }),
    { numRuns: 4000 },
  )
  expect(left).toBeGreaterThan(400)
})

test('reasoning that is joined in a turn of another wire stays at home, and sealing again changes nothing', () => {
  const thought = { type: 'reasoning', text: 'hm', opaque: { origin: { wire: 'openai-chat' }, data: {} } } as const
  const turn: Message = { role: 'assistant', content: [thought, thought, text('yes')], origin: { wire: 'anthropic' } }
  const env = { profile: profileOf(codecs['openai-chat'], 'deepseek'), createdSeconds: 0, deltas: false }
  const once = codecs['openai-chat'].seal({ model: 'm', messages: [user('hi'), turn] }, env)
  expect(once.request.messages[1]).toMatchObject({ content: [{ type: 'text', text: 'yes' }] })
  expect(once.losses.map((loss) => loss.code)).toEqual(['text_joined', 'reasoning_dropped'])
  expect(codecs['openai-chat'].seal(once.request, env)).toMatchObject({ request: once.request, losses: [] })
})

test('a turn in several messages is sealed the same whether its history grew or came at once', () => {
  const history: readonly Message[] = [
    user('hi'),
    said('One.'),
    said('Two.'),
    calls('a'),
    said('Three.'),
    results(answer('a')),
    said('Done.'),
  ].map((message) => freeze(message))
  for (let length = 1; length <= history.length; length += 1) {
    const grown = seal(history.slice(0, length), plain)
    expect(grown).toEqual(seal(structuredClone(history.slice(0, length)) as Message[], plain))
  }
})
