// Two more floors on node:http (no dependency):
//  raw-http : the same code as the other floors, only the transport differs
//  raw-best : a probe of what is physically reachable: node:http, history serialised once per message (not once per round),
//             and delta events recognised by their unchanged prefix/suffix, so only the changed JSON string is parsed.
import http from 'node:http'
import { floor, splitter, WIRES } from './_floor.mjs'

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true })

function post(url, headers, body) {
  return new Promise((resolve, reject) => {
    const { hostname: host, port, pathname, search } = new URL(url)
    const request = http.request(
      {
        agent,
        host,
        port,
        path: pathname + search,
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      },
      resolve,
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** Hands every piece of the answer on; settles at its end. */
function read(answer, onPiece) {
  return new Promise((resolve, reject) => {
    answer.on('data', onPiece)
    answer.on('end', resolve)
    answer.on('error', reject)
  })
}

const transport = {
  async json(url, headers, body) {
    const pieces = []
    await read(await post(url, headers, body), (piece) => pieces.push(piece))
    return JSON.parse(pieces.length === 1 ? pieces[0].toString() : Buffer.concat(pieces).toString())
  },
  async lines(url, headers, body, onLine) {
    const lines = splitter(onLine)
    await read(await post(url, headers, body), (piece) => lines.push(piece))
    lines.end()
  },
}

/**
 * An exact shortcut: where only one JSON string differs from the event before, that string alone is parsed. `take` gives it, or
 * undefined when the line is another one.
 */
function changingString() {
  let before = null
  let after = ''
  return {
    learn(line, key, value) {
      const literal = JSON.stringify(value)
      const start = line.indexOf(key + literal)
      before = start < 0 ? null : line.slice(0, start + key.length)
      after = line.slice(start + key.length + literal.length)
    },
    take(line) {
      if (before === null || !line.startsWith(before) || !line.endsWith(after)) return undefined
      const end = line.length - after.length
      const isQuoted = end - before.length >= 2 && line[before.length] === '"' && line[end - 1] === '"'
      if (!isQuoted) return undefined
      const inner = line.slice(before.length + 1, end - 1)
      if (!inner.includes('"') && !inner.includes('\\')) return inner
      try {
        return JSON.parse(`"${inner}"`)
      } catch {
        return undefined
      }
    },
  }
}

/** Collects an answer; `parse` reads the lines that the shortcuts do not know. */
function shortcutFold(parse) {
  const state = { text: '', calls: [], current: -1, texts: changingString(), fragments: changingString() }
  return {
    line(line, onText) {
      const text = state.texts.take(line)
      if (text !== undefined) {
        if (text === '') return
        state.text += text
        onText(text)
        return
      }
      const fragment = state.fragments.take(line)
      if (fragment === undefined) parse(state, line, onText)
      else state.calls[state.current].json += fragment
    },
    end: () => ({
      text: state.text,
      toolCalls: state.calls
        .filter(Boolean)
        .map(({ id, name, json }) => ({ id, name, args: json ? JSON.parse(json) : {} })),
    }),
  }
}

const folds = {
  openai: () =>
    shortcutFold((state, line, onText) => {
      if (!line.startsWith('data: ') || line === 'data: [DONE]') return
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta
      if (delta?.content) {
        state.text += delta.content
        onText(delta.content)
        if (Object.keys(delta).length === 1) state.texts.learn(line, '"content":', delta.content)
      }
      for (const call of delta?.tool_calls ?? []) {
        const { arguments: json, name } = call.function
        state.calls[call.index] ??= { id: call.id, name, json: '' }
        state.calls[call.index].json += json
        state.current = call.index
        if (delta.tool_calls.length === 1 && call.id === undefined && json)
          state.fragments.learn(line, '"arguments":', json)
      }
    }),
  anthropic: () =>
    shortcutFold((state, line, onText) => {
      if (!line.startsWith('data: ')) return
      const { type, index, delta, content_block: block } = JSON.parse(line.slice(6))
      if (type === 'content_block_start' && block.type === 'tool_use')
        state.calls[index] = { id: block.id, name: block.name, json: '' }
      if (type !== 'content_block_delta') return
      if (delta.type === 'text_delta') {
        state.text += delta.text
        onText(delta.text)
        state.texts.learn(line, '"text":', delta.text)
      } else if (delta.type === 'input_json_delta') {
        state.calls[index].json += delta.partial_json
        state.current = index
        state.fragments.learn(line, '"partial_json":', delta.partial_json)
      }
    }),
}

/** The body around its messages, rendered once. */
function shellOf(format, tools, stream) {
  return JSON.stringify(format.body(['@@'], tools, stream)).split('"@@"')
}

function best(wire, { root, tools }) {
  const format = WIRES[wire]
  const declared = tools?.length ? format.tools(tools) : undefined
  const byName = new Map((tools ?? []).map((tool) => [tool.name, tool]))
  const whole = shellOf(format, declared, false)
  const streamed = shellOf(format, declared, true)
  const ask = async (messages) =>
    format.parse(await transport.json(format.url(root, false), format.headers, whole[0] + messages + whole[1]))
  return {
    chat: (prompt) => ask(JSON.stringify(format.user(prompt))),
    async chatStream(prompt, onText) {
      const fold = folds[wire]()
      const lines = splitter((line) => fold.line(line, onText))
      const body = streamed[0] + JSON.stringify(format.user(prompt)) + streamed[1]
      await read(await post(format.url(root, true), format.headers, body), (piece) => lines.push(piece))
      lines.end()
      return fold.end()
    },
    async toolLoop(prompt, max) {
      let history = JSON.stringify(format.user(prompt))
      let calls = 0
      for (let rounds = 0; rounds <= max; rounds += 1) {
        const reply = await ask(history)
        if (reply.toolCalls.length === 0) return { text: reply.text, rounds, calls }
        const results = await Promise.all(reply.toolCalls.map((call) => byName.get(call.name).execute(call.args)))
        calls += results.length
        const added = []
        format.push(added, reply, results)
        for (const message of added) history += `,${JSON.stringify(message)}`
      }
      throw new Error(`no answer after ${max} rounds`)
    },
  }
}

export default [
  {
    name: 'raw-http',
    wires: ['openai', 'anthropic', 'ollama', 'gemini'],
    create: async (wire, options) => floor(transport, wire, options),
  },
  { name: 'raw-best', wires: ['openai', 'anthropic'], create: async (wire, options) => best(wire, options) },
]
