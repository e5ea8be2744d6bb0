// The raw floor: build the body by hand, JSON.stringify, one HTTP call, JSON.parse. Shared by both transports.
const obj = (s) => (s === '' ? {} : JSON.parse(s))
export const WIRES = {
  openai: {
    url: (root) => `${root}/v1/chat/completions`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    tools: (ts) =>
      ts.map((t) => ({
        type: 'function',
        function: { name: t.name, description: t.description, parameters: t.jsonSchema },
      })),
    body: (messages, tools, stream) => ({ model: 'bench-model', messages, tools, ...(stream ? { stream: true } : {}) }),
    user: (content) => ({ role: 'user', content }),
    parse: (j) => {
      const m = j.choices[0].message
      return {
        text: m.content ?? '',
        toolCalls: (m.tool_calls ?? []).map((c) => ({
          id: c.id,
          name: c.function.name,
          args: obj(c.function.arguments),
        })),
      }
    },
    push: (h, r, results) => {
      h.push({
        role: 'assistant',
        content: r.text || null,
        tool_calls: r.toolCalls.map((c) => ({
          id: c.id,
          type: 'function',
          function: { name: c.name, arguments: JSON.stringify(c.args) },
        })),
      })
      for (let i = 0; i < results.length; i++)
        h.push({ role: 'tool', tool_call_id: r.toolCalls[i].id, content: JSON.stringify(results[i]) })
    },
    fold: () => {
      let text = ''
      const calls = []
      return {
        line(l, onText) {
          if (!l.startsWith('data: ') || l === 'data: [DONE]') return
          const d = JSON.parse(l.slice(6)).choices[0]?.delta
          if (!d) return
          if (d.content) {
            text += d.content
            onText(d.content)
          }
          if (d.tool_calls)
            for (const c of d.tool_calls) {
              calls[c.index] ??= { id: c.id, name: c.function.name, s: '' }
              calls[c.index].s += c.function.arguments
            }
        },
        end: () => ({ text, toolCalls: calls.map((c) => ({ id: c.id, name: c.name, args: obj(c.s) })) }),
      }
    },
  },
  anthropic: {
    url: (root) => `${root}/v1/messages`,
    headers: { 'content-type': 'application/json', 'x-api-key': 'x', 'anthropic-version': '2023-06-01' },
    tools: (ts) => ts.map((t) => ({ name: t.name, description: t.description, input_schema: t.jsonSchema })),
    body: (messages, tools, stream) => ({
      model: 'bench-model',
      max_tokens: 4096,
      messages,
      tools,
      ...(stream ? { stream: true } : {}),
    }),
    user: (content) => ({ role: 'user', content }),
    parse: (j) => {
      const r = { text: '', toolCalls: [] }
      for (const b of j.content) {
        if (b.type === 'text') r.text += b.text
        else if (b.type === 'tool_use') r.toolCalls.push({ id: b.id, name: b.name, args: b.input })
      }
      return r
    },
    push: (h, r, results) => {
      h.push({
        role: 'assistant',
        content: r.toolCalls.map((c) => ({ type: 'tool_use', id: c.id, name: c.name, input: c.args })),
      })
      h.push({
        role: 'user',
        content: results.map((x, i) => ({
          type: 'tool_result',
          tool_use_id: r.toolCalls[i].id,
          content: JSON.stringify(x),
        })),
      })
    },
    fold: () => {
      let text = ''
      const blocks = []
      return {
        line(l, onText) {
          if (!l.startsWith('data: ')) return
          const e = JSON.parse(l.slice(6))
          if (e.type === 'content_block_delta') {
            if (e.delta.type === 'text_delta') {
              text += e.delta.text
              onText(e.delta.text)
            } else if (e.delta.type === 'input_json_delta') blocks[e.index].s += e.delta.partial_json
          } else if (e.type === 'content_block_start' && e.content_block.type === 'tool_use')
            blocks[e.index] = { id: e.content_block.id, name: e.content_block.name, s: '' }
        },
        end: () => ({
          text,
          toolCalls: blocks.filter(Boolean).map((c) => ({ id: c.id, name: c.name, args: obj(c.s) })),
        }),
      }
    },
  },
  ollama: {
    url: (root) => `${root}/api/chat`,
    headers: { 'content-type': 'application/json' },
    tools: (ts) =>
      ts.map((t) => ({
        type: 'function',
        function: { name: t.name, description: t.description, parameters: t.jsonSchema },
      })),
    body: (messages, tools, stream) => ({ model: 'bench-model', messages, tools, stream }),
    user: (content) => ({ role: 'user', content }),
    parse: (j) => ({
      text: j.message.content,
      toolCalls: (j.message.tool_calls ?? []).map((c) => ({
        id: c.id,
        name: c.function.name,
        args: c.function.arguments,
      })),
    }),
    push: (h, r, results) => {
      h.push({
        role: 'assistant',
        content: r.text,
        tool_calls: r.toolCalls.map((c) => ({ function: { name: c.name, arguments: c.args } })),
      })
      for (let i = 0; i < results.length; i++)
        h.push({ role: 'tool', tool_name: r.toolCalls[i].name, content: JSON.stringify(results[i]) })
    },
    fold: () => {
      let text = ''
      const toolCalls = []
      return {
        line(l, onText) {
          if (!l) return
          const m = JSON.parse(l).message
          if (m.content) {
            text += m.content
            onText(m.content)
          }
          if (m.tool_calls)
            for (const c of m.tool_calls)
              toolCalls.push({ id: c.id, name: c.function.name, args: c.function.arguments })
        },
        end: () => ({ text, toolCalls }),
      }
    },
  },
  gemini: {
    url: (root, stream) =>
      `${root}/v1beta/models/bench-model:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'x' },
    tools: (ts) => [
      {
        functionDeclarations: ts.map((t) => ({
          name: t.name,
          description: t.description,
          parametersJsonSchema: t.jsonSchema,
        })),
      },
    ],
    body: (contents, tools) => ({ contents, tools }),
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    parse: (j) => {
      const r = { text: '', toolCalls: [] }
      for (const p of j.candidates[0].content.parts) {
        if (p.text) r.text += p.text
        else if (p.functionCall)
          r.toolCalls.push({ id: p.functionCall.id, name: p.functionCall.name, args: p.functionCall.args })
      }
      return r
    },
    push: (h, r, results) => {
      h.push({ role: 'model', parts: r.toolCalls.map((c) => ({ functionCall: { name: c.name, args: c.args } })) })
      h.push({
        role: 'user',
        parts: results.map((x, i) => ({ functionResponse: { name: r.toolCalls[i].name, response: x } })),
      })
    },
    fold: () => {
      let text = ''
      const toolCalls = []
      return {
        line(l, onText) {
          if (!l.startsWith('data: ')) return
          for (const p of JSON.parse(l.slice(6)).candidates[0].content.parts) {
            if (p.text) {
              text += p.text
              onText(p.text)
            } else if (p.functionCall)
              toolCalls.push({ id: p.functionCall.id, name: p.functionCall.name, args: p.functionCall.args })
          }
        },
        end: () => ({ text, toolCalls }),
      }
    },
  },
}

/** transport = { json(url, headers, body) -> object, lines(url, headers, body, onLine) -> Promise } */
export function floor(transport, wire, { root, tools }) {
  const w = WIRES[wire]
  const ts = tools?.length ? w.tools(tools) : undefined
  const byName = new Map((tools ?? []).map((t) => [t.name, t]))
  const once = async (messages) =>
    w.parse(await transport.json(w.url(root, false), w.headers, JSON.stringify(w.body(messages, ts, false))))
  return {
    chat: (prompt) => once([w.user(prompt)]),
    async chatStream(prompt, onText) {
      const f = w.fold()
      await transport.lines(w.url(root, true), w.headers, JSON.stringify(w.body([w.user(prompt)], ts, true)), (l) =>
        f.line(l, onText),
      )
      return f.end()
    },
    async toolLoop(prompt, maxRounds) {
      const h = [w.user(prompt)]
      let calls = 0
      for (let rounds = 0; rounds <= maxRounds; rounds++) {
        const r = await once(h)
        if (!r.toolCalls.length) return { text: r.text, rounds, calls }
        const results = await Promise.all(r.toolCalls.map((c) => byName.get(c.name).execute(c.args)))
        calls += results.length
        w.push(h, r, results)
      }
    },
  }
}
export function splitter(onLine) {
  const dec = new TextDecoder()
  let buf = ''
  return {
    push(chunk) {
      buf += dec.decode(chunk, { stream: true })
      let s = 0
      for (let i = buf.indexOf('\n'); i !== -1; i = buf.indexOf('\n', s)) {
        onLine(buf.charCodeAt(i - 1) === 13 ? buf.slice(s, i - 1) : buf.slice(s, i))
        s = i + 1
      }
      buf = s ? buf.slice(s) : buf
    },
    end() {
      if (buf) onLine(buf)
    },
  }
}
