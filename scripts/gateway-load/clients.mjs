// The clients of the load test, a process of their own. Each message is a job: so many clients, so many calls each, at once.
// A client speaks any wire, asks for a model on any other, may leave in the middle, and looks for marks that are not its own.
import { Agent, request } from 'node:http'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']
const said = (text) => [{ role: 'user', content: text }]
const asks = {
  'openai-chat': (model, text, stream) => ['/v1/chat/completions', { model, stream, messages: said(text) }],
  'openai-responses': (model, text, stream) => ['/v1/responses', { model, stream, store: false, input: text }],
  anthropic: (model, text, stream) => ['/v1/messages', { model, stream, max_tokens: 1000, messages: said(text) }],
  ollama: (model, text, stream) => ['/api/chat', { model, stream, messages: said(text) }],
  gemini: (model, text, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
}

process.on('message', async (given) => {
  const job = { key: 'any-key-will-do', ...given }
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const found = { whole: 0, left: 0, refused: 0, foreign: 0, wrong: 0, timings: [], failures: [] }
  const telling = setInterval(() => process.send({ progress: found.whole + found.left + found.refused }), 2_000)
  await Promise.all(Array.from({ length: job.clients }, (_, index) => client(job, agent, index, found)))
  clearInterval(telling)
  agent.destroy()
  process.send({ found: job.isTimed ? found : { ...found, timings: [] } })
})
process.on('disconnect', () => process.exit(0))

async function client(job, agent, index, found) {
  await new Promise((resolve) => setTimeout(resolve, (index / job.clients) * (job.rampMs ?? 0)))
  for (let call = 0; call < job.calls; call += 1) {
    const mark = `mark${index}x${call}x${Math.random().toString(36).slice(2)}`
    const wire = job.wire ?? wires[Math.floor(Math.random() * wires.length)]
    const model = job.model ?? `to-${wires[Math.floor(Math.random() * wires.length)]}`
    const stream = job.stream ?? Math.random() < 0.7
    const leavesAfterMs = Math.random() < (job.leaving ?? 0) ? Math.random() * job.leavesWithinMs : undefined
    const order = `[${mark} pieces=${job.pieces} gap=${job.gapMs} gather=${job.gather ?? 0} bytes=0]`
    const url = job.urls[(index + call) % job.urls.length]
    const outcome = await ask(url, job.key, agent, asks[wire](model, order, stream), leavesAfterMs, found.timings)
    note(found, outcome, mark, job, `${wire} ${model} ${stream ? 'streamed' : 'whole'}`)
  }
}

function note(found, { status, text, isWhole, error, left }, mark, { pieces, isLimited }, what) {
  const marks = text.match(/mark\d+x\d+x\w+/g) ?? []
  found.foreign += marks.filter((one) => one !== mark).length
  if (left) found.left += 1
  else if (isLimited && (status === 429 || status === 503)) found.refused += 1
  else if (status === 200 && isWhole && marks.length >= pieces) found.whole += 1
  else {
    found.wrong += 1
    if (found.failures.length < 5) found.failures.push(`${what}: ${status} ${error ?? ''} ${text.slice(0, 200)}`)
  }
}

/** One call, read to its end unless the client leaves. `timings` gets when each piece was sent, and how long it took. Never rejects. */
function ask(url, key, agent, [path, body], leavesAfterMs, timings) {
  return new Promise((resolve) => {
    const outcome = { status: 0, text: '', isWhole: false, error: undefined, left: false }
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers })
    const timer = leavesAfterMs === undefined ? undefined : setTimeout(leave, leavesAfterMs)
    function leave() {
      outcome.left = true
      outgoing.destroy()
    }
    function done() {
      clearTimeout(timer)
      resolve(outcome)
    }
    outgoing.on('error', (error) => {
      outcome.error = error.message
      done()
    })
    outgoing.on('response', (incoming) => {
      outcome.status = incoming.statusCode
      incoming.setEncoding('utf8').on('data', (text) => {
        outcome.text += text
        const sent = /at=(\d+)/.exec(text)
        if (sent === null) return
        const sentUs = Number(sent[1])
        timings.push([sentUs, (performance.timeOrigin + performance.now()) * 1000 - sentUs])
      })
      incoming.on('error', () => {}) // told by 'close'
      incoming.on('close', () => {
        outcome.isWhole = incoming.complete
        done()
      })
    })
    outgoing.end(JSON.stringify(body))
  })
}
