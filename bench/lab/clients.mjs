// What clients do when a provider breaks off, cuts a call, falls silent, asks to wait or tells the key back: the official SDKs and the
// libraries of the laboratory beside toolwire, each row a question with an answer per client. `node clients.mjs`; a minute.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { anthropic, gemini, ollama, openai } from '../../dist/node/index.js'
import { providerServer } from '../../dist/node/testing/index.js'

globalThis.AI_SDK_LOG_WARNINGS = false
const key = 'sk-lab-0123456789abcdef'
const messages = [{ role: 'user', content: 'go' }]
const ownMessages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }]
const limitMs = 3000

/** How a promise ends within the limit: what it gave, the error, or that it hangs. */
async function endOf(promise) {
  const started = performance.now()
  const ended = promise.then(
    (value) => ({ end: 'answer', value }),
    (error) => ({ end: 'error', error }),
  )
  return { ...(await Promise.race([ended, wait(limitMs, { end: 'hangs' })])), ms: performance.now() - started }
}

async function served(options, ask) {
  const server = await providerServer(options)
  try {
    return await endOf(ask(server.url))
  } finally {
    await server.close()
  }
}

async function all(stream) {
  const items = []
  for await (const item of await stream) items.push(item)
  return items
}

const ask = {
  openai: (url, more = {}, options = {}) =>
    new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0, ...more }).chat.completions
      .create({ model: 'm', messages, stream: true }, options)
      .then(all),
  anthropic: (url) =>
    new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 }).messages
      .stream({ model: 'm', max_tokens: 100, messages })
      .finalMessage(),
  genai: (url) =>
    all(
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } }).models.generateContentStream({
        model: 'm',
        contents: 'go',
      }),
    ),
  ollama: (url) =>
    all(
      new Ollama({ host: url, headers: { authorization: `Bearer ${key}` } }).chat({
        model: 'm',
        messages,
        stream: true,
      }),
    ),
  ai: (url) =>
    generateText({
      model: createOpenAICompatible({ name: 'lab', apiKey: key, baseURL: `${url}/v1` })('m'),
      prompt: 'go',
      maxRetries: 0,
    }),
  langchain: (url) =>
    new ChatOpenAI({ model: 'm', apiKey: key, maxRetries: 0, configuration: { baseURL: `${url}/v1` } }).invoke([
      new HumanMessage('go'),
    ]),
}
/** The same with toolwire, on the wire of a factory. */
async function own(make, url, options = {}, call = {}) {
  return make('m', { baseUrl: url, apiKey: key, retries: 0, ...options }).stream({ messages: ownMessages }, call)
}

const say = ({ end, error }) => (end === 'error' ? `error: ${error.code ?? error.name}` : end)

const questions = {
  async 'a Gemini stream that is cut'() {
    const cut = {
      script: ['It is eighteen degrees in Paris today, and rain is near.'],
      misbehave: { cutAfterEvents: 2 },
    }
    return {
      '@google/genai': say(await served(cut, ask.genai)),
      toolwire: say(await served(cut, (url) => own(gemini, url))),
    }
  },
  async 'an Ollama line that is no JSON'() {
    const line = (content, done) => `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done })}\n`
    const body = `${line('one ', false)}{"model":"m","mess\n${line('three', true)}`
    const broken = { misbehave: { headers: { 'content-type': 'application/x-ndjson' }, body } }
    return {
      ollama: say(await served(broken, ask.ollama)),
      toolwire: say(await served(broken, (url) => own(ollama, url))),
    }
  },
  async 'a call cut by the output limit'() {
    const turn = {
      brokenCalls: [{ name: 'weather', arguments: '{"city":"Par', reason: 'truncated' }],
      finishReason: 'length',
    }
    const cut = { script: [turn] }
    const anthropicInput = ({ value }) => JSON.stringify(value?.content.find(({ type }) => type === 'tool_use')?.input)
    const langchainCall = async (url) => {
      const model = new ChatOpenAI({ model: 'm', apiKey: key, configuration: { baseURL: `${url}/v1` } })
      const chunks = await all(model.stream([new HumanMessage('go')]))
      return chunks.reduce((whole, chunk) => whole.concat(chunk)).tool_calls
    }
    const mine = await served(cut, (url) => own(anthropic, url))
    return {
      '@anthropic-ai/sdk': `input ${anthropicInput(await served(cut, ask.anthropic))}`,
      '@langchain/openai': `call with ${JSON.stringify((await served(cut, langchainCall)).value?.[0]?.args)}`,
      toolwire: `${mine.value?.toolCalls.length} calls, ${mine.value?.brokenCalls.length} broken`,
    }
  },
  async 'a body that falls silent, timeout of 300 ms'() {
    const silent = { misbehave: { stallAfterEvents: 1 } }
    return {
      openai: say(await served(silent, (url) => ask.openai(url, { timeout: 300 }))),
      toolwire: say(await served(silent, (url) => own(openai, url, { timeoutMs: 300 }))),
    }
  },
  async 'aborted after 100 ms, while it waits two seconds to try again'() {
    const busy = { misbehave: { status: 429, headers: { 'retry-after': '2' } } }
    const told = ({ end, ms }) => `${end} after ${ms < 400 ? 'about 100 ms' : `${(ms / 1000).toFixed(1)} s`}`
    const signal = () => AbortSignal.timeout(100)
    return {
      openai: told(await served(busy, (url) => ask.openai(url, { maxRetries: 2 }, { signal: signal() }))),
      toolwire: told(await served(busy, (url) => own(openai, url, { retries: 2 }, { signal: signal() }))),
    }
  },
  async 'a provider that tells the key back: in the message of the error'() {
    const message = `the key ${key} is wrong`
    const refused = {
      misbehave: ({ wire }) => ({
        status: 401,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error: wire === 'ollama' ? message : { type: 'authentication_error', message } }),
      }),
    }
    const shown = ({ error }) => (JSON.stringify([error?.message, String(error)]).includes(key) ? 'yes' : 'no')
    const seen = await Promise.all(
      Object.entries(ask).map(async ([name, client]) => [name, shown(await served(refused, client))]),
    )
    const mine = await served(refused, (url) => own(openai, url))
    return { ...Object.fromEntries(seen), toolwire: shown(mine) }
  },
}

for (const [question, answers] of Object.entries(questions)) {
  console.log(question)
  for (const [client, answer] of Object.entries(await answers())) console.log(`  ${client}: ${answer}`)
}
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
console.log(
  Object.entries(dependencies)
    .map((one) => one.join(' '))
    .join(', '),
)
process.exit()
