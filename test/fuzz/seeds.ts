// What is mutated: the examples, hand-written inputs and, where it is present, the corpus.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wire } from '../../src/conversation/messages.js'
import { wires } from '../../src/conversation/messages.js'

export const kinds = ['request', 'response', 'stream', 'error'] as const
export type Kind = (typeof kinds)[number]

export interface Seed {
  readonly wire: Wire
  readonly kind: Kind
  readonly text: string
}

const corpusFiles: Readonly<Record<Wire, string>> = {
  'openai-chat': 'openai-chat.jsonl',
  'openai-responses': 'openai-responses.jsonl',
  anthropic: 'anthropic-messages.jsonl',
  ollama: 'ollama-chat.jsonl',
  gemini: 'gemini.jsonl',
}
const longest = 20_000

/** All seeds under a size that keeps one case fast. `root` is the repository. */
export function readSeeds(root: string): readonly Seed[] {
  const seeds = wires.flatMap((wire) => [...examples(root, wire), ...written(wire), ...recorded(root, wire)])
  return seeds.filter((seed) => seed.text.length <= longest)
}

function examples(root: string, wire: Wire): readonly Seed[] {
  const folder = join(root, 'test/examples', wire)
  return readdirSync(folder).flatMap((name) => {
    const kind = kinds.find((candidate) => name.startsWith(`${candidate}.`))
    return kind === undefined ? [] : [{ wire, kind, text: readFileSync(join(folder, name), 'utf8') }]
  })
}

/** The smallest and the strangest inputs. */
function written(wire: Wire): readonly Seed[] {
  const texts = [
    '',
    '{}',
    '[]',
    'null',
    '{"error":null}',
    '<html>502</html>',
    'data: [DONE]\n\n',
    '\ufeff{}',
    'event: error\n\n',
  ]
  return kinds.flatMap((kind) => texts.map((text) => ({ wire, kind, text })))
}

function recorded(root: string, wire: Wire): readonly Seed[] {
  const file = join(root, '../shared/corpus', corpusFiles[wire])
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines.flatMap((line) => {
    const { request, response } = JSON.parse(line) as {
      readonly request?: { readonly body?: unknown } | null
      readonly response?: { readonly status?: number; readonly body?: unknown; readonly chunks?: unknown } | null
    }
    const seeds: Seed[] = []
    const add = (kind: Kind, text: string): number => seeds.push({ wire, kind, text })
    if (request?.body !== undefined && request.body !== null) add('request', JSON.stringify(request.body))
    if (typeof response?.chunks === 'string') add('stream', response.chunks)
    if (response?.body !== undefined && response.body !== null) {
      const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
      add((response.status ?? 200) >= 400 ? 'error' : 'response', text)
    }
    return seeds
  })
}
