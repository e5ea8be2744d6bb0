// An answer as it comes, on a web page, without a framework: a server that sends the events of a run, and a page that reads them.
// Plain, it asks itself once and ends. With --serve it stays: open the address it tells.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const clock = tool({
  name: 'get_time',
  description: 'The current time in UTC',
  input: { type: 'object', properties: {} },
  execute: () => new Date().toISOString(),
})
const newModel = () =>
  modelOr(scriptedModel([{ calls: [{ name: 'get_time' }] }, 'It is <b>later</b> than you think, 5 < 6.']))

const page = `<!doctype html>
<meta charset="utf-8">
<title>toolwire</title>
<form><input name="prompt" value="What time is it?"> <button>Ask</button></form>
<pre></pre>
<script type="module">
  const [form] = document.forms
  const answer = document.querySelector('pre')
  form.onsubmit = (submit) => {
    submit.preventDefault()
    answer.textContent = ''
    const source = new EventSource('/answer?prompt=' + encodeURIComponent(form.prompt.value))
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data)
      // textContent, never innerHTML: what a model writes is text of a stranger.
      if (event.type === 'text') answer.textContent += event.text
      if (event.type === 'call') answer.textContent += '[' + event.name + ']\\n'
      if (event.type === 'done') source.close()
    }
  }
</script>`

/** What the page may know of an event; arguments, results and errors stay here. */
function shown(event) {
  if (event.type === 'text_delta') return { type: 'text', text: event.text }
  if (event.type === 'tool_start') return { type: 'call', name: event.call.name }
  if (event.type === 'done') return { type: 'done', reason: event.result.stop.reason }
  return undefined
}

async function answer(prompt, response) {
  const leaving = new AbortController()
  response.on('close', () => leaving.abort()) // a closed tab stops the run and its tools
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  for await (const event of run.stream({ model: newModel(), tools: [clock], prompt, signal: leaving.signal })) {
    const told = shown(event)
    if (told === undefined) continue
    const isTaken = response.write(`data: ${JSON.stringify(told)}\n\n`)
    if (!isTaken) await once(response, 'drain', { signal: leaving.signal }).catch(() => {}) // at the pace of the reader
  }
  response.end()
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1')
  if (pathname === '/answer') answer(searchParams.get('prompt') ?? '', response).catch(() => response.destroy())
  else if (pathname === '/') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  else response.writeHead(404).end()
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`

if (process.argv.includes('--serve')) console.log(`open ${url}`)
else {
  assert.match(await (await fetch(url)).text(), /<form>/)
  const body = await (await fetch(`${url}/answer?prompt=What+time+is+it`)).text()
  const events = body
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.slice('data: '.length)))
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  console.log(text)
  assert.equal(events.at(-1).type, 'done')
  if (isOffline) {
    assert.equal(text, 'It is <b>later</b> than you think, 5 < 6.')
    assert.deepEqual(
      events.filter((event) => event.type === 'call').map((event) => event.name),
      ['get_time'],
    )
  }
  server.close()
  server.closeAllConnections()
  console.log(
    `the page was told ${new Set(events.map((event) => event.type)).size} kinds of events, the last: ${events.at(-1).reason}`,
  )
}
