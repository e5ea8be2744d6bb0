// Two more floors on node:http (no dependency):
//  raw-http : the same code as the other floors, only the transport differs
//  raw-best : a probe of what is physically reachable: node:http, history serialised once per message (not once per round),
//             and delta events recognised by their unchanged prefix/suffix, so only the changed JSON string is parsed.
import http from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { floor, splitter, WIRES } from './_floor.mjs'

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true })
function post(url, headers, body) {
  return new Promise((ok, no) => {
    const u = new URL(url)
    const req = http.request(
      {
        agent,
        host: u.hostname,
        port: u.port,
        path: u.pathname + u.search,
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      },
      ok,
    )
    req.on('error', no)
    req.end(body)
  })
}
const transport = {
  json: (url, headers, body) =>
    post(url, headers, body).then(
      (r) =>
        new Promise((ok, no) => {
          const b = []
          r.on('data', (c) => b.push(c))
          r.on('end', () => ok(JSON.parse(b.length === 1 ? b[0].toString() : Buffer.concat(b).toString())))
          r.on('error', no)
        }),
    ),
  lines: (url, headers, body, onLine) =>
    post(url, headers, body).then(
      (r) =>
        new Promise((ok, no) => {
          const sp = splitter(onLine)
          r.on('data', (c) => sp.push(c))
          r.on('end', () => {
            sp.end()
            ok()
          })
          r.on('error', no)
        }),
    ),
}

/** Exact shortcut: if only one JSON string differs from the previous event, parse that string alone; else return undefined. */
function splice() {
  let pre = null,
    suf = ''
  return {
    learn(line, key, value) {
      const lit = JSON.stringify(value),
        i = line.indexOf(key + lit)
      if (i < 0) {
        pre = null
        return
      }
      pre = line.slice(0, i + key.length)
      suf = line.slice(i + key.length + lit.length)
    },
    take(line) {
      if (pre === null || !line.startsWith(pre) || !line.endsWith(suf)) return undefined
      const end = line.length - suf.length
      if (end - pre.length < 2 || line.charCodeAt(pre.length) !== 34 || line.charCodeAt(end - 1) !== 34)
        return undefined
      const mid = line.slice(pre.length + 1, end - 1)
      const q = mid.indexOf('"')
      if (q === -1 && mid.indexOf('\\') === -1) return mid
      try {
        return JSON.parse(`"${mid}"`)
      } catch {
        return undefined
      }
    },
  }
}
const FOLD = {
  openai() {
    let text = ''
    const calls = [],
      st = splice(),
      sa = splice()
    let cur = -1
    return {
      line(l, onText) {
        if (l.length < 7 || l === 'data: [DONE]') return
        let s = st.take(l)
        if (s !== undefined) {
          if (s) {
            text += s
            onText(s)
          }
          return
        }
        s = sa.take(l)
        if (s !== undefined) {
          calls[cur].s += s
          return
        }
        const d = JSON.parse(l.slice(6)).choices[0]?.delta
        if (!d) return
        if (d.content) {
          text += d.content
          onText(d.content)
          if (Object.keys(d).length === 1) st.learn(l, '"content":', d.content)
        }
        if (d.tool_calls)
          for (const c of d.tool_calls) {
            calls[c.index] ??= { id: c.id, name: c.function.name, s: '' }
            calls[c.index].s += c.function.arguments
            cur = c.index
            if (d.tool_calls.length === 1 && c.id === undefined && c.function.arguments)
              sa.learn(l, '"arguments":', c.function.arguments)
          }
      },
      end: () => ({
        text,
        toolCalls: calls.map((c) => ({ id: c.id, name: c.name, args: c.s ? JSON.parse(c.s) : {} })),
      }),
    }
  },
  anthropic() {
    let text = ''
    const blocks = [],
      st = splice(),
      sa = splice()
    let cur = -1
    return {
      line(l, onText) {
        if (l.length < 7 || l.charCodeAt(0) !== 100) return
        let s = st.take(l)
        if (s !== undefined) {
          text += s
          onText(s)
          return
        }
        s = sa.take(l)
        if (s !== undefined) {
          blocks[cur].s += s
          return
        }
        const e = JSON.parse(l.slice(6))
        if (e.type === 'content_block_delta') {
          if (e.delta.type === 'text_delta') {
            text += e.delta.text
            onText(e.delta.text)
            st.learn(l, '"text":', e.delta.text)
          } else if (e.delta.type === 'input_json_delta') {
            blocks[e.index].s += e.delta.partial_json
            cur = e.index
            sa.learn(l, '"partial_json":', e.delta.partial_json)
          }
        } else if (e.type === 'content_block_start' && e.content_block.type === 'tool_use')
          blocks[e.index] = { id: e.content_block.id, name: e.content_block.name, s: '' }
      },
      end: () => ({
        text,
        toolCalls: blocks.filter(Boolean).map((c) => ({ id: c.id, name: c.name, args: c.s ? JSON.parse(c.s) : {} })),
      }),
    }
  },
}
function best(wire, { root, tools }) {
  const w = WIRES[wire],
    ts = tools?.length ? w.tools(tools) : undefined,
    byName = new Map((tools ?? []).map((t) => [t.name, t]))
  // body text = head + joined messages + tail; head and tail are rendered once
  const shell = (stream) => {
    const s = JSON.stringify(w.body(['@@'], ts, stream)),
      i = s.indexOf('"@@"')
    return [s.slice(0, i), s.slice(i + 4)]
  }
  const plain = shell(false),
    streaming = shell(true)
  const url = w.url(root, false),
    surl = w.url(root, true)
  return {
    chat: async (prompt) =>
      w.parse(await transport.json(url, w.headers, plain[0] + JSON.stringify(w.user(prompt)) + plain[1])),
    async chatStream(prompt, onText) {
      const f = FOLD[wire](),
        r = await post(surl, w.headers, streaming[0] + JSON.stringify(w.user(prompt)) + streaming[1])
      const dec = new StringDecoder('utf8')
      let rest = ''
      await new Promise((ok, no) => {
        r.on('data', (c) => {
          const b = rest + dec.write(c)
          let s = 0
          for (let i = b.indexOf('\n'); i !== -1; i = b.indexOf('\n', s)) {
            f.line(b.slice(s, i), onText)
            s = i + 1
          }
          rest = s < b.length ? b.slice(s) : ''
        })
        r.on('end', ok)
        r.on('error', no)
      })
      return f.end()
    },
    async toolLoop(prompt, max) {
      let hist = JSON.stringify(w.user(prompt)),
        calls = 0
      for (let rounds = 0; rounds <= max; rounds++) {
        const r = w.parse(await transport.json(url, w.headers, plain[0] + hist + plain[1]))
        if (!r.toolCalls.length) return { text: r.text, rounds, calls }
        const results = await Promise.all(r.toolCalls.map((c) => byName.get(c.name).execute(c.args)))
        calls += results.length
        const add = []
        w.push(add, r, results)
        for (const m of add) hist += `,${JSON.stringify(m)}`
      }
    },
  }
}
export default [
  {
    name: 'raw-http',
    wires: ['openai', 'anthropic', 'ollama', 'gemini'],
    create: async (wire, o) => floor(transport, wire, o),
  },
  { name: 'raw-best', wires: ['openai', 'anthropic'], create: async (wire, o) => best(wire, o) },
]
