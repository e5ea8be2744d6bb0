import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Framer } from '../../src/frames/framer.js'
import { jsonArrayFrames } from '../../src/frames/json-array.js'
import { ndjsonFrames } from '../../src/frames/ndjson.js'
import { sseFrames } from '../../src/frames/sse.js'
import { bytesOf, cutPairs, framesOf } from './cuts.js'

interface Case {
  readonly name: string
  readonly text: string
  readonly frames: readonly unknown[]
}

const sse: readonly Case[] = [
  { name: 'LF', text: 'data: a\n\ndata: b\n\n', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'CRLF', text: 'data: a\r\n\r\ndata: b\r\n\r\n', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'CR', text: 'data: a\r\rdata: b\r\r', frames: [{ data: 'a' }, { data: 'b' }] },
  {
    name: 'mixed line ends',
    text: 'data: a\r\n\ndata: b\n\rdata: c\r\r\n',
    frames: ['a', 'b', 'c'].map((data) => ({ data })),
  },
  { name: 'a byte order mark', text: '\ufeffdata: a\n\n', frames: [{ data: 'a' }] },
  { name: 'a second byte order mark stays', text: 'data: \ufeffa\n\n', frames: [{ data: '\ufeffa' }] },
  { name: 'event names', text: 'event: x\ndata: 1\n\ndata: 2\n\n', frames: [{ event: 'x', data: '1' }, { data: '2' }] },
  { name: 'the event name after the data', text: 'data:1\nevent:x\n\n', frames: [{ event: 'x', data: '1' }] },
  { name: 'several data lines', text: 'data: a\ndata:\ndata:  b\n\n', frames: [{ data: 'a\n\n b' }] },
  { name: 'comments and other fields', text: ': hi\nid: 1\nretry: 9\nfoo\ndata: a\n\n:\n\n', frames: [{ data: 'a' }] },
  { name: 'no blank line at the end', text: 'data: a\n\ndata: b\n', frames: [{ data: 'a' }, { data: 'b' }] },
  {
    name: 'no newline at the end',
    text: 'data: a\n\nevent: e\ndata: b',
    frames: [{ data: 'a' }, { event: 'e', data: 'b' }],
  },
  { name: 'a CR at the very end', text: 'data: a\r', frames: [{ data: 'a' }] },
  { name: 'an event without data is none', text: 'event: ping\n\ndata: a\n\n', frames: [{ data: 'a' }] },
  { name: 'a bare data field is empty data', text: 'data\n\ndatax: 1\n\n', frames: [{ data: '' }] },
  { name: 'characters of every length', text: 'data: é中😀\n\ndata: ü', frames: [{ data: 'é中😀' }, { data: 'ü' }] },
  { name: 'nothing', text: '', frames: [] },
]

const ndjson: readonly Case[] = [
  { name: 'lines', text: '{"a":1}\n{"b":2}\n', frames: ['{"a":1}', '{"b":2}'] },
  { name: 'CRLF, blank lines and spaces', text: ' {"a":1} \r\n\r\n \n{"b":2}\r\n', frames: ['{"a":1}', '{"b":2}'] },
  { name: 'no newline at the end', text: '{"a":1}\n{"b":2}', frames: ['{"a":1}', '{"b":2}'] },
  {
    name: 'a pretty-printed object',
    text: '{\n  "a": [\n1\n]\n}\n{"b":2}\n',
    frames: ['{\n"a": [\n1\n]\n}', '{"b":2}'],
  },
  {
    name: 'brackets in strings',
    text: '{"a":"}{[\\"]\\\\"}\n{"b":"{"}\n',
    frames: ['{"a":"}{[\\"]\\\\"}', '{"b":"{"}'],
  },
  { name: 'a first line that looks closed', text: '{"a":{"b":"}"}\n}\n1\n', frames: ['{"a":{"b":"}"}\n}', '1'] },
  { name: 'garbage lines', text: 'oops\n}\n{"a":1}\n', frames: ['oops', '}', '{"a":1}'] },
  { name: 'a line cut inside a string', text: '{"a":"x\n{"b":2}\n', frames: ['{"a":"x', '{"b":2}'] },
  { name: 'a line that ends in an escaped quote', text: '{"a":"x\\"\n{"b":2}\n', frames: ['{"a":"x\\"', '{"b":2}'] },
  { name: 'an unfinished rest', text: '{"a":1}\n{"b":{"c":1}\n', frames: ['{"a":1}', '{"b":{"c":1}'] },
  { name: 'a byte order mark and long characters', text: '\ufeff{"a":"é中😀"}\n', frames: ['{"a":"é中😀"}'] },
  { name: 'nothing', text: '\n\n', frames: [] },
]

const array: readonly Case[] = [
  { name: 'elements', text: '[{"a":1}\n,\n{"b":[2]}]\n', frames: ['{"a":1}', '{"b":[2]}'] },
  { name: 'a single bare object', text: ' {"error":{"code":1}}\r\n', frames: ['{"error":{"code":1}}'] },
  {
    name: 'brackets and quotes in strings',
    text: '[{"a":"]},[\\"\\\\"},{"b":"\\\\"}]',
    frames: ['{"a":"]},[\\"\\\\"}', '{"b":"\\\\"}'],
  },
  {
    name: 'scalars and arrays as elements',
    text: '[1, "a,]", [2,[3]] ,null]',
    frames: ['1', '"a,]"', '[2,[3]]', 'null'],
  },
  { name: 'an empty array', text: ' [ ] ', frames: [] },
  { name: 'an unfinished element', text: '[{"a":1},{"b":"x', frames: ['{"a":1}', '{"b":"x'] },
  { name: 'an array that never closes', text: '[{"a":1},', frames: ['{"a":1}'] },
  { name: 'garbage', text: '<html>[1,2]</html>\n', frames: ['<html>[1,2]</html>'] },
  { name: 'garbage after the array', text: '[{"a":1}] oops', frames: ['{"a":1}', 'oops'] },
  { name: 'a byte order mark and long characters', text: '\ufeff[{"a":"é中😀"}]', frames: ['{"a":"é中😀"}'] },
  { name: 'nothing', text: '', frames: [] },
]

const suites: readonly (readonly [string, () => Framer<unknown>, readonly Case[]])[] = [
  ['sse', sseFrames, sse],
  ['ndjson', ndjsonFrames, ndjson],
  ['json array', jsonArrayFrames, array],
]

describe.each(suites)('%s', (_name, make, cases) => {
  it.each(cases)('$name: the same frames for every pair of cuts', ({ text, frames }) => {
    const bytes = bytesOf(text)
    for (const cuts of cutPairs(bytes)) expect(framesOf(make(), bytes, cuts), `cut at ${cuts}`).toEqual(frames)
  })

  it('gives the same frames one byte at a time', () => {
    for (const { text, frames } of cases) {
      const bytes = bytesOf(text)
      expect(framesOf(make(), bytes, [...bytes.keys()])).toEqual(frames)
    }
  })

  it('gives the same frames for any text and any cuts', () => {
    const token = fc.constantFrom(
      'data: ',
      'event: ',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      'é',
      '😀',
    )
    const text = fc.array(fc.oneof(token, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 40 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 12 }), (parts, positions) => {
        const bytes = bytesOf(parts.join(''))
        const cuts = positions.map((position) => position % (bytes.length + 1))
        expect(framesOf(make(), bytes, cuts)).toEqual(framesOf(make(), bytes))
      }),
    )
  })

  it('decodes any bytes as one decoder would, wherever they are cut', () => {
    const bytes = fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xef, 0xbb, 0xff), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(20), { maxLength: 5 }), (list, positions) => {
        const whole = Uint8Array.from(list)
        const cuts = positions.map((position) => position % (whole.length + 1))
        expect(framesOf(make(), whole, cuts)).toEqual(framesOf(make(), whole))
      }),
    )
  })
})
