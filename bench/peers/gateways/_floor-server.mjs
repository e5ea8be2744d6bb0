// Hand-written openai -> anthropic proxies used as the floor. argv: port upstream mode(pass|translate)
import http from 'node:http'
import { Pool } from 'undici'
import { splitter } from '../contenders/_floor.mjs'

const [port, upstream, mode] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: 128 })
const finish = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length', stop_sequence: 'stop' }
function reqToAnthropic(o) {
  const messages = []
  let system
  for (const m of o.messages) {
    if (m.role === 'system' || m.role === 'developer') system = system ? `${system}\n${m.content}` : m.content
    else if (m.role === 'tool') {
      const b = { type: 'tool_result', tool_use_id: m.tool_call_id, content: m.content }
      const p = messages.at(-1)
      if (p?.role === 'user' && Array.isArray(p.content)) p.content.push(b)
      else messages.push({ role: 'user', content: [b] })
    } else if (m.tool_calls)
      messages.push({
        role: 'assistant',
        content: [
          ...(m.content ? [{ type: 'text', text: m.content }] : []),
          ...m.tool_calls.map((c) => ({
            type: 'tool_use',
            id: c.id,
            name: c.function.name,
            input: JSON.parse(c.function.arguments),
          })),
        ],
      })
    else messages.push({ role: m.role, content: m.content })
  }
  return {
    model: o.model,
    max_tokens: o.max_tokens ?? 4096,
    ...(system ? { system } : {}),
    messages,
    ...(o.tools
      ? {
          tools: o.tools.map((t) => ({
            name: t.function.name,
            description: t.function.description,
            input_schema: t.function.parameters,
          })),
        }
      : {}),
    ...(o.stream ? { stream: true } : {}),
  }
}
function resToOpenAI(a) {
  let content = ''
  const tool_calls = []
  for (const b of a.content)
    if (b.type === 'text') content += b.text
    else if (b.type === 'tool_use')
      tool_calls.push({ id: b.id, type: 'function', function: { name: b.name, arguments: JSON.stringify(b.input) } })
  return {
    id: a.id,
    object: 'chat.completion',
    created: (Date.now() / 1000) | 0,
    model: a.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: content || null, ...(tool_calls.length ? { tool_calls } : {}) },
        finish_reason: finish[a.stop_reason] ?? 'stop',
      },
    ],
    usage: {
      prompt_tokens: a.usage.input_tokens,
      completion_tokens: a.usage.output_tokens,
      total_tokens: a.usage.input_tokens + a.usage.output_tokens,
    },
  }
}
http
  .createServer((req, res) => {
    const parts = []
    req
      .on('data', (d) => parts.push(d))
      .on('end', async () => {
        const slug = req.url.slice(1, req.url.indexOf('/', 1))
        const raw = Buffer.concat(parts)
        const o = mode === 'translate' ? JSON.parse(raw) : null
        const path = mode === 'translate' ? `/${slug}/v1/messages` : req.url
        const up = await pool.request({
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json', 'x-api-key': 'x' },
          body: o ? JSON.stringify(reqToAnthropic(o)) : raw,
        })
        if (!o) {
          res.writeHead(up.statusCode, { 'content-type': up.headers['content-type'] })
          up.body.on('data', (c) => res.write(c)).on('end', () => res.end())
          return
        }
        if (!o.stream) {
          const b = JSON.stringify(resToOpenAI(await up.body.json()))
          res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(b) })
          res.end(b)
          return
        }
        res.writeHead(200, { 'content-type': 'text/event-stream' })
        let out = '',
          head = '',
          calls = -1
        const blocks = []
        const emit = (delta, fin = null) => {
          out += `data: ${head}${JSON.stringify(delta)},"finish_reason":${fin === null ? 'null' : JSON.stringify(fin)}}]}\n\n`
        }
        const sp = splitter((l) => {
          if (!l.startsWith('data: ')) return
          const e = JSON.parse(l.slice(6))
          switch (e.type) {
            case 'message_start':
              head = `{"id":${JSON.stringify(e.message.id)},"object":"chat.completion.chunk","created":${(Date.now() / 1000) | 0},"model":${JSON.stringify(e.message.model)},"choices":[{"index":0,"delta":`
              emit({ role: 'assistant', content: '' })
              break
            case 'content_block_start':
              if (e.content_block.type === 'tool_use') {
                blocks[e.index] = ++calls
                emit({
                  tool_calls: [
                    {
                      index: calls,
                      id: e.content_block.id,
                      type: 'function',
                      function: { name: e.content_block.name, arguments: '' },
                    },
                  ],
                })
              }
              break
            case 'content_block_delta':
              if (e.delta.type === 'text_delta') emit({ content: e.delta.text })
              else if (e.delta.type === 'input_json_delta')
                emit({ tool_calls: [{ index: blocks[e.index], function: { arguments: e.delta.partial_json } }] })
              break
            case 'message_delta':
              emit({}, finish[e.delta.stop_reason] ?? 'stop')
              break
            case 'message_stop':
              out += 'data: [DONE]\n\n'
              break
          }
        })
        up.body
          .on('data', (c) => {
            sp.push(c)
            if (out) {
              res.write(out)
              out = ''
            }
          })
          .on('end', () => {
            sp.end()
            res.end(out)
          })
      })
  })
  .listen(Number(port), '127.0.0.1')
