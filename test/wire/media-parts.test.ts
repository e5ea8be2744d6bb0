// Images and files on each wire, from the user and from a tool: what arrives at the other end, and what is reported to be lost.
import { describe, expect, test } from 'vitest'
import type { FilePart, ImagePart, Message, Wire } from '../../src/conversation/messages.js'
import { wires } from '../../src/conversation/messages.js'
import { codecs, profileOf } from '../../src/wire/index.js'

type Media = ImagePart | FilePart

const media = {
  imageUrl: { type: 'image', url: 'https://a.example/b.png' },
  typedImageUrl: { type: 'image', url: 'https://a.example/b', mediaType: 'image/webp' },
  image: { type: 'image', data: 'AAAA', mediaType: 'image/png' },
  tiff: { type: 'image', data: 'AAAA', mediaType: 'image/tiff' },
  pdf: { type: 'file', data: 'BBBB', mediaType: 'application/pdf' },
  namedPdf: { type: 'file', data: 'BBBB', mediaType: 'application/pdf', name: 'b.pdf' },
  pdfUrl: { type: 'file', url: 'https://a.example/b.pdf' },
  namedPdfUrl: { type: 'file', url: 'https://a.example/b.pdf', mediaType: 'application/pdf', name: 'b.pdf' },
  text: { type: 'file', data: 'SGk=', mediaType: 'text/plain', name: 'a.txt' },
  audio: { type: 'file', data: 'CCCC', mediaType: 'audio/wav' },
  unknown: { type: 'file', data: 'DDDD', mediaType: 'application/x-own' },
} as const satisfies Record<string, Media>
type Name = keyof typeof media

interface Outcome {
  readonly codes: readonly string[]
  /** Members that do not arrive; `all` where the part does not. */
  readonly without?: 'all' | readonly string[]
  /** Members that arrive although they were not given. */
  readonly added?: object
}

/** What is no loss is left out. */
const outcomes: Readonly<Record<Wire, { readonly [N in Name]?: Outcome }>> = {
  'openai-chat': {
    typedImageUrl: { codes: ['media_changed'], without: ['mediaType'] },
    pdfUrl: { codes: ['media_dropped'], without: 'all' },
    namedPdfUrl: { codes: ['media_dropped'], without: 'all' },
  },
  'openai-responses': {
    typedImageUrl: { codes: ['media_dropped'], without: ['mediaType'] },
    namedPdfUrl: { codes: ['media_dropped'], without: ['mediaType'] },
  },
  anthropic: {
    typedImageUrl: { codes: ['media_type_dropped'], without: ['mediaType'] },
    namedPdfUrl: { codes: ['media_type_dropped'], without: ['mediaType'] },
    tiff: { codes: ['media_dropped'], without: 'all' },
    audio: { codes: ['media_dropped'], without: 'all' },
    unknown: { codes: ['media_dropped'], without: 'all' },
  },
  ollama: {
    image: { codes: ['media_dropped'], without: ['mediaType'] },
    tiff: { codes: ['media_dropped'], without: ['mediaType'] },
    ...Object.fromEntries(
      (
        ['imageUrl', 'typedImageUrl', 'pdf', 'namedPdf', 'pdfUrl', 'namedPdfUrl', 'text', 'audio', 'unknown'] as const
      ).map((name) => [name, { codes: ['media_dropped'], without: 'all' }]),
    ),
  },
  gemini: {
    imageUrl: { codes: ['media_changed'], added: { mediaType: 'image/png' } },
    namedPdf: { codes: ['name_dropped'], without: ['name'] },
    namedPdfUrl: { codes: ['name_dropped'], without: ['name'] },
    text: { codes: ['name_dropped'], without: ['name'] },
  },
}

/** Wires whose results hold text only: what else they hold follows as a message of the user. */
const hoisting: ReadonlySet<Wire> = new Set(['openai-chat', 'ollama', 'gemini'])

/** Losses that every request has there, and those of the texts beside. */
const beside = new Set(['max_tokens_default', 'text_joined', 'tools_declared'])

const look: Message = { role: 'user', content: [{ type: 'text', text: 'Look' }] }
const fromUser = (part: Media): readonly Message[] => [
  { role: 'user', content: [{ type: 'text', text: 'Look' }, part] },
]
const fromTool = (part: Media): readonly Message[] => [
  look,
  { role: 'assistant', content: [{ type: 'tool_call', id: 'call_1', name: 'look', arguments: '{}' }] },
  {
    role: 'tool',
    results: [{ callId: 'call_1', name: 'look', isError: false, content: [{ type: 'text', text: 'Here' }, part] }],
  },
]

/** The media that arrive at the other end of a wire, the codes of what is reported, and the role of the message they are in. */
function send(wire: Wire, messages: readonly Message[]) {
  const codec = codecs[wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const { http, losses } = codec.request.encode({ model: 'm', messages }, { stream: false }, env)
  const arrived = codec.request.decode(http, env).request.messages.flatMap((message) => {
    const content = message.role === 'tool' ? message.results.flatMap((result) => result.content) : message.content
    return content.flatMap((part) =>
      part.type === 'image' || part.type === 'file' ? [{ role: message.role, part }] : [],
    )
  })
  return { arrived, codes: losses.map(({ code }) => code).filter((code) => !beside.has(code)) }
}

function expectedPart(part: Media, { without = [], added = {} }: Outcome): readonly object[] {
  if (without === 'all') return []
  return [{ ...Object.fromEntries(Object.entries(part).filter(([key]) => !without.includes(key))), ...added }]
}

describe.each(wires)('%s', (wire) => {
  const names = Object.keys(media) as Name[]

  test.each(names)('%s from the user', (name) => {
    const outcome = outcomes[wire][name] ?? { codes: [] }
    const { arrived, codes } = send(wire, fromUser(media[name]))
    expect(arrived.map(({ part }) => part)).toEqual(expectedPart(media[name], outcome))
    expect(codes).toEqual(outcome.codes)
  })

  test.each(names)('%s from a tool', (name) => {
    const outcome = outcomes[wire][name] ?? { codes: [] }
    const { arrived, codes } = send(wire, fromTool(media[name]))
    const isHoisted = hoisting.has(wire) && outcome.without !== 'all'
    expect(arrived.map(({ part }) => part)).toEqual(expectedPart(media[name], outcome))
    expect(arrived.map(({ role }) => role)).toEqual(arrived.map(() => (isHoisted ? 'user' : 'tool')))
    expect(codes).toEqual(isHoisted ? ['media_hoisted', ...outcome.codes] : outcome.codes)
  })
})
