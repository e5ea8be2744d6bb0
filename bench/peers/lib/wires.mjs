// Pre-rendered provider bytes for the four wires, and the scenario slugs that select them.
// A slug is the first path segment of the base URL, so no client needs to know about scenarios:
//   chat4                one reply with 4 parallel tool calls
//   text-N[-c]           N text deltas        (-c: coalesced HTTP chunks; default: one HTTP chunk per event)
//   args-BYTES-FRAGS     one tool call, BYTES of JSON arguments in FRAGS fragments
//   loop-R-ID            R replies with 4 tool calls, then one final text (counter kept per ID)
//   conc-N-D             text stream of D deltas, released only when N requests are waiting, then interleaved
//   paced-N-D            the same, but 50 deltas/s per stream
const CREATED = 1763200000
const MODEL = 'bench-model'
const USAGE = { in: 123, out: 45 }

export function wireOf(path) {
  if (path.includes('/chat/completions')) return 'openai'
  if (path.includes('/messages')) return 'anthropic'
  if (path.includes('/api/chat')) return 'ollama'
  if (path.includes('enerateContent')) return 'gemini'
  return null
}

export function words(n) {
  const out = []
  for (let i = 0; i < n; i++) out.push(`${i % 17 === 16 ? ',\n' : ' '}token${i % 97}`)
  return out
}

/** A write_file-like argument object whose JSON text has exactly `bytes` bytes. */
export function bigArgs(bytes) {
  const rows = []
  let size = 0
  for (let i = 0; size < bytes * 0.4; i++) {
    const r = { id: i, name: `row ${i}`, tags: ['a', 'b'], on: i % 2 === 0, score: i * 1.5 }
    rows.push(r)
    size += JSON.stringify(r).length + 1
  }
  const line = 'const x = "a\\b"; // comment\n\tif (x) { return 1; }\n'
  let content = ''
  const fixed = JSON.stringify({ path: 'src/file.ts', rows, content: '' }).length
  const perLine = JSON.stringify(line).length - 2
  const n = Math.floor((bytes - fixed) / perLine)
  content = line.repeat(Math.max(0, n))
  const rest = bytes - fixed - n * perLine
  content += 'z'.repeat(Math.max(0, rest))
  const text = JSON.stringify({ path: 'src/file.ts', rows, content })
  return text
}

export function fragments(text, n) {
  const out = []
  const step = text.length / n
  for (let i = 0; i < n; i++) out.push(text.slice(Math.round(i * step), Math.round((i + 1) * step)))
  return out
}

const CALLS = (tag) =>
  [0, 1, 2, 3].map((i) => ({
    id: `call_${tag}_${i}`,
    name: `tool_${i}`,
    args: { city: `Paris ${tag}`, unit: 'celsius', days: i + 1, tags: ['x', 'y'], opts: { verbose: true, limit: 10 } },
  }))

// ---- neutral reply -> bytes --------------------------------------------------------------
// reply = { deltas?: string[], calls?: [{id,name,args|text, frags?}] }
const sse = (o, ev) => `${ev ? `event: ${ev}\n` : ''}data: ${typeof o === 'string' ? o : JSON.stringify(o)}\n\n`

function openaiEvents(r) {
  const base = {
    id: `chatcmpl-${r.id ?? 'bench'}`,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: MODEL,
    service_tier: 'default',
    system_fingerprint: 'fp_bench',
  }
  const ch = (delta, fin = null) =>
    sse({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: fin }], usage: null })
  const ev = [ch({ role: 'assistant', content: r.calls ? null : '', refusal: null })]
  for (const d of r.deltas ?? []) ev.push(ch({ content: d }))
  ;(r.calls ?? []).forEach((c, index) => {
    ev.push(ch({ tool_calls: [{ index, id: c.id, type: 'function', function: { name: c.name, arguments: '' } }] }))
    for (const f of c.frags ?? [JSON.stringify(c.args)])
      ev.push(ch({ tool_calls: [{ index, function: { arguments: f } }] }))
  })
  ev.push(ch({}, r.calls ? 'tool_calls' : 'stop'))
  ev.push(
    sse({
      ...base,
      choices: [],
      usage: { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out },
    }),
  )
  ev.push(sse('[DONE]'))
  return ev
}
const openaiJson = (r) =>
  JSON.stringify({
    id: `chatcmpl-${r.id ?? 'bench'}`,
    object: 'chat.completion',
    created: CREATED,
    model: MODEL,
    service_tier: 'default',
    system_fingerprint: 'fp_bench',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: r.calls ? null : (r.deltas ?? []).join(''),
          refusal: null,
          annotations: [],
          ...(r.calls
            ? {
                tool_calls: r.calls.map((c) => ({
                  id: c.id,
                  type: 'function',
                  function: { name: c.name, arguments: c.text ?? JSON.stringify(c.args) },
                })),
              }
            : {}),
        },
        logprobs: null,
        finish_reason: r.calls ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out },
  })

function anthropicEvents(r) {
  const e = (type, o) => sse({ type, ...o }, type)
  const ev = [
    e('message_start', {
      message: {
        id: `msg_${r.id ?? 'bench'}`,
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: USAGE.in, output_tokens: 1 },
      },
    }),
  ]
  let index = 0
  if (r.deltas) {
    ev.push(e('content_block_start', { index, content_block: { type: 'text', text: '' } }), e('ping', {}))
    for (const d of r.deltas) ev.push(e('content_block_delta', { index, delta: { type: 'text_delta', text: d } }))
    ev.push(e('content_block_stop', { index: index++ }))
  }
  for (const c of r.calls ?? []) {
    ev.push(e('content_block_start', { index, content_block: { type: 'tool_use', id: c.id, name: c.name, input: {} } }))
    for (const f of c.frags ?? [JSON.stringify(c.args)])
      ev.push(e('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: f } }))
    ev.push(e('content_block_stop', { index: index++ }))
  }
  ev.push(
    e('message_delta', {
      delta: { stop_reason: r.calls ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.out },
    }),
  )
  ev.push(e('message_stop', {}))
  return ev
}
const anthropicJson = (r) =>
  JSON.stringify({
    id: `msg_${r.id ?? 'bench'}`,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: r.calls
      ? r.calls.map((c) => ({ type: 'tool_use', id: c.id, name: c.name, input: c.args ?? JSON.parse(c.text) }))
      : [{ type: 'text', text: (r.deltas ?? []).join('') }],
    stop_reason: r.calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: USAGE.in, output_tokens: USAGE.out },
  })

const ollamaMsg = (message, done) =>
  JSON.stringify({
    model: MODEL,
    created_at: '2026-11-15T00:00:00.000000000Z',
    message,
    done,
    ...(done
      ? {
          done_reason: 'stop',
          total_duration: 1,
          load_duration: 1,
          prompt_eval_count: USAGE.in,
          prompt_eval_duration: 1,
          eval_count: USAGE.out,
          eval_duration: 1,
        }
      : {}),
  })
const ollamaCalls = (r) =>
  r.calls.map((c) => ({ id: c.id, function: { name: c.name, arguments: c.args ?? JSON.parse(c.text) } }))
function ollamaEvents(r) {
  const ev = (r.deltas ?? []).map((d) => `${ollamaMsg({ role: 'assistant', content: d }, false)}\n`)
  if (r.calls) ev.push(`${ollamaMsg({ role: 'assistant', content: '', tool_calls: ollamaCalls(r) }, false)}\n`)
  ev.push(`${ollamaMsg({ role: 'assistant', content: '' }, true)}\n`)
  return ev
}
const ollamaJson = (r) =>
  ollamaMsg(
    {
      role: 'assistant',
      content: r.calls ? '' : (r.deltas ?? []).join(''),
      ...(r.calls ? { tool_calls: ollamaCalls(r) } : {}),
    },
    true,
  )

const gemMeta = {
  modelVersion: MODEL,
  responseId: 'bench',
  usageMetadata: { promptTokenCount: USAGE.in, candidatesTokenCount: USAGE.out, totalTokenCount: USAGE.in + USAGE.out },
}
const gem = (parts, fin) => ({
  candidates: [{ content: { parts, role: 'model' }, ...(fin ? { finishReason: 'STOP' } : {}), index: 0 }],
  ...gemMeta,
})
const gemCalls = (r) =>
  r.calls.map((c) => ({ functionCall: { id: c.id, name: c.name, args: c.args ?? JSON.parse(c.text) } }))
function geminiEvents(r) {
  const ev = (r.deltas ?? []).map(
    (d, i) => `data: ${JSON.stringify(gem([{ text: d }], i === r.deltas.length - 1 && !r.calls))}\r\n\r\n`,
  )
  if (r.calls) ev.push(`data: ${JSON.stringify(gem(gemCalls(r), true))}\r\n\r\n`)
  return ev
}
const geminiJson = (r) => JSON.stringify(gem(r.calls ? gemCalls(r) : [{ text: (r.deltas ?? []).join('') }], true))

const EVENTS = { openai: openaiEvents, anthropic: anthropicEvents, ollama: ollamaEvents, gemini: geminiEvents }
const JSONS = { openai: openaiJson, anthropic: anthropicJson, ollama: ollamaJson, gemini: geminiJson }
const STREAM_TYPE = {
  openai: 'text/event-stream; charset=utf-8',
  anthropic: 'text/event-stream; charset=utf-8',
  ollama: 'application/x-ndjson',
  gemini: 'text/event-stream',
}

export function renderEvents(wire, reply) {
  return EVENTS[wire](reply)
}
export function renderJson(wire, reply) {
  return JSONS[wire](reply)
}

const chunked = (s) => {
  const b = Buffer.from(s)
  return Buffer.concat([Buffer.from(`${b.length.toString(16)}\r\n`), b, Buffer.from('\r\n')])
}
export const streamHead = (wire) =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: ${STREAM_TYPE[wire]}\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n`,
  )
export const END = Buffer.from('0\r\n\r\n')

export function jsonResponse(wire, reply) {
  const b = Buffer.from(renderJson(wire, reply))
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${b.length}\r\nconnection: keep-alive\r\n\r\n`,
    ),
    b,
  ])
}
export function streamResponse(wire, reply, coalesce = false) {
  const ev = renderEvents(wire, reply)
  if (!coalesce) return Buffer.concat([streamHead(wire), ...ev.map(chunked), END])
  const all = Buffer.from(ev.join(''))
  const parts = [streamHead(wire)]
  for (let i = 0; i < all.length; i += 16384) {
    const b = all.subarray(i, i + 16384)
    parts.push(Buffer.from(`${b.length.toString(16)}\r\n`), b, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, END])
}
/** The same stream cut into slices of `per` events, for interleaved release. */
export function streamSlices(wire, reply, per) {
  const ev = renderEvents(wire, reply).map(chunked)
  const out = []
  for (let i = 0; i < ev.length; i += per) out.push(Buffer.concat(ev.slice(i, i + per)))
  out[0] = Buffer.concat([streamHead(wire), out[0]])
  out[out.length - 1] = Buffer.concat([out[out.length - 1], END])
  return out
}

export function replyFor(slug, step = 0) {
  const [kind, a, b] = slug.split('-')
  if (kind === 'chat4') return { calls: CALLS('a') }
  if (kind === 'text') return { deltas: words(Number(a)) }
  if (kind === 'conc' || kind === 'paced') return { deltas: words(Number(b)) }
  if (kind === 'args') {
    const text = bigArgs(Number(a))
    return { calls: [{ id: 'call_big', name: 'write_file', text, frags: fragments(text, Number(b)) }] }
  }
  if (kind === 'loop')
    return step < Number(a)
      ? { id: `r${step}`, calls: CALLS(`r${step}`) }
      : { id: 'last', deltas: ['Answer', ':', ' done'] }
  return null
}
