// The recorded exchanges, read from beside the repository. They are test data only and are never copied here.
import { existsSync, readFileSync } from 'node:fs'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { rawSpans } from '../../src/json/spans.js'

/** One recorded exchange, as the corpus describes it. */
export interface Exchanged {
  readonly id: string
  readonly provider: string
  readonly model: string | null
  readonly stream: boolean
  /** `text` is the body as it stands in the recording, digit for digit. */
  readonly request: { readonly path: string | null; readonly body: unknown; readonly text: string }
  readonly response: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>> | null
    readonly body?: unknown
    readonly text: string
    /** The exact bytes as one text, or one JSON payload each where the recorder lost the framing. */
    readonly chunks?: string | readonly string[]
  }
}

const folder = new URL('../../../shared/corpus/', import.meta.url)
const files: Readonly<Record<Wire, string>> = {
  'openai-chat': 'openai-chat.jsonl',
  'openai-responses': 'openai-responses.jsonl',
  anthropic: 'anthropic-messages.jsonl',
  gemini: 'gemini.jsonl',
  ollama: 'ollama-chat.jsonl',
}

export const corpusFound: boolean = wires.every((wire) => existsSync(new URL(files[wire], folder)))
if (!corpusFound) console.info('corpus not found, skipped')

const read = new Map<Wire, readonly Exchanged[]>()

/** All exchanges of a wire; none on a machine without the corpus. */
export function recordsOf(wire: Wire): readonly Exchanged[] {
  if (!corpusFound) return []
  let records = read.get(wire)
  if (records === undefined) {
    const lines = readFileSync(new URL(files[wire], folder), 'utf8').split('\n')
    records = lines.filter((line) => line.trim() !== '').map(recordOf)
    read.set(wire, records)
  }
  return records
}

function recordOf(line: string): Exchanged {
  const record = JSON.parse(line) as Exchanged
  const spans = rawSpans(line, ['/request/body', '/response/body'])
  const request = { ...record.request, text: textOf(record.request.body, spans.get('/request/body')) }
  return {
    ...record,
    request,
    response: { ...record.response, text: textOf(record.response.body, spans.get('/response/body')) },
  }
}

/** A body that was not JSON is recorded as a string of its own. */
function textOf(body: unknown, span: string | undefined): string {
  return typeof body === 'string' ? body : (span ?? '')
}

/** What was answered, as text; a list of payloads is framed as its wire frames them. */
export function answerText(wire: Wire, record: Exchanged): string {
  const { text, chunks } = record.response
  if (typeof chunks === 'string') return chunks
  return chunks === undefined ? text : framed(wire, chunks)
}

export function isStreamed(record: Exchanged): boolean {
  return record.response.chunks !== undefined && record.response.status < 400
}

function framed(wire: Wire, payloads: readonly string[]): string {
  switch (wire) {
    case 'ollama':
      return payloads.map((payload) => `${payload}\n`).join('')
    case 'gemini':
      return payloads.map((payload) => `data: ${payload}\r\n\r\n`).join('')
    case 'openai-chat':
      return [...payloads, '[DONE]'].map((payload) => `data: ${payload}\n\n`).join('')
    default:
      return payloads.map((payload) => `event: ${eventName(payload)}\ndata: ${payload}\n\n`).join('')
  }
}

function eventName(payload: string): string {
  const { type } = JSON.parse(payload) as { readonly type?: string }
  return type ?? 'message'
}
