import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChangingText } from '../../src/json/changing-text.js'

function learned(text: string): ChangingText {
  const texts = new ChangingText()
  texts.learn(text, 'text')
  return texts
}

test('a text that differs in the learned string alone gives that string', () => {
  const texts = learned('{"n":1,"text":"a","more":[1]}')
  expect(texts.read('{"n":1,"text":"b \\n \\"c\\" \\u00e9","more":[1]}')).toBe('b \n "c" é')
  expect(texts.read('{"n":1,"text":"","more":[1]}')).toBe('')
})

test('any other text gives nothing', () => {
  const texts = learned('{"n":1,"text":"a","more":[1]}')
  for (const other of [
    '{"n":2,"text":"b","more":[1]}',
    '{"n":1,"text":"b","more":[2]}',
    '{"n":1,"text":null,"more":[1]}',
    '{"n":1,"text":"b","text":"c","more":[1]}',
    '{"n":1,"text":"b\n","more":[1]}',
    '{"n":1,"text":"b\\","more":[1]}',
    '{"n":1,"text":,"more":[1]}',
    '{"n":1,"text":"',
    '',
  ])
    expect(texts.read(other)).toBeUndefined()
})

test('a member of that name that does not count is not learned', () => {
  expect(learned('{"text":"a","\\u0074ext":"a"}').read('{"text":"b","\\u0074ext":"a"}')).toBeUndefined()
  expect(learned('{"text":"a","in":{"text":"a"}}').read('{"text":"a","in":{"text":"b"}}')).toBeUndefined()
  expect(new ChangingText().read('{"text":"a"}')).toBeUndefined()
})

test('a string with quotes in it is learned; what stands around it may have none, nor the name again', () => {
  expect(learned('{"text" : "a \\"b\\" \\\\","n":1}').read('{"text" : "c","n":1}')).toBe('c')
  expect(learned('{"text":"text","n":1}').read('{"text":"c","n":1}')).toBe('c')
  expect(learned('{"type":"text","text":"a"}').read('{"type":"text","text":"b"}')).toBeUndefined()
  expect(learned('{"n":"\\"text\\":","text":"a"}').read('{"n":"\\"text\\":","text":"b"}')).toBeUndefined()
})

test('what is read is what reading the whole text gives, or nothing', () => {
  const members = fc.dictionary(fc.constantFrom('n', 'text', 'm', '"', 'é'), fc.oneof(fc.string(), fc.integer()))
  const space = fc.constantFrom(undefined, 1)
  fc.assert(
    fc.property(
      members,
      fc.string(),
      fc.array(fc.tuple(members, fc.string())),
      space,
      (first, text, others, indent) => {
        const texts = learned(JSON.stringify({ ...first, text }, null, indent))
        for (const [members, other] of [[first, 'x'] as const, [first, text] as const, ...others]) {
          const read = texts.read(JSON.stringify({ ...members, text: other }, null, indent))
          expect([undefined, other]).toContain(read)
        }
      },
    ),
  )
})

test('a stream whose texts change elsewhere, too, is soon read whole', () => {
  const texts = new ChangingText()
  const isLearned = (n: number): boolean => {
    texts.learn(`{"n":${n},"text":"a"}`, 'text')
    return texts.read(`{"n":${n},"text":"b"}`) === 'b'
  }
  expect(Array.from({ length: 20 }, (_, n) => isLearned(n)).filter(Boolean)).toHaveLength(8)
})
