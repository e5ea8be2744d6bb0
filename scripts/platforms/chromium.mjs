// A real Chromium: the root door in a page that may run no code from strings, over CORS; and the example with a web page.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { wires } from 'toolwire'
import { providerServer } from 'toolwire/testing'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Figures of the checks in the browser; `failure` says which did not hold. */
export async function onChromium() {
  const browser = await launched()
  const failures = []
  let passed = 0
  const check = async (name, run) => {
    try {
      await run()
      passed += 1
    } catch (error) {
      failures.push(`${name}: ${error.message}`)
    }
  }
  try {
    await check('the page with the root door', () => checkRootDoor(browser, check))
    await check('examples/web-page.mjs', () => checkExample(browser))
  } finally {
    await browser.close()
  }
  const failure = failures.length === 0 ? undefined : failures.join('\n')
  return { version: `Chromium ${browser.version()}`, tests: wires.length + 2, passed, skipped: 0, failure }
}

/** A conversation on each wire, asserted on what stands on the page and on what the server was sent. */
async function checkRootDoor(browser, check) {
  const server = await providerServer({ cors: true, strict: true, script: scriptOf })
  const { url, close } = await served({ '/page.js': ['text/javascript', await bundle()], '/': ['text/html', html] })
  const page = await browser.newPage()
  try {
    await page.goto(`${url}/?server=${encodeURIComponent(server.url)}`)
    await page.waitForSelector('body[data-done]', { timeout: 30_000 })
    const ran = [`Tōkyō 12345678901234567890 at ${new URL(url).host}`]
    const expected = { end: 'answer', turns: 2, text: answer, ran, streamed: true, pieces: true }
    for (const wire of wires) {
      await check(wire, async () => {
        assert.deepEqual(JSON.parse(await page.locator(`#${wire}`).textContent()), expected)
        const asked = server.requests.filter((request) => request.wire === wire)
        assert.deepEqual(
          asked.map(({ stream, raw }) => [stream, raw.headers.origin]),
          [
            [true, url],
            [true, url],
          ],
        )
      })
    }
  } finally {
    await page.close()
    await close()
    await server.close()
  }
}

/** A person opens the page of the example and presses its button. */
async function checkExample(browser) {
  const child = spawn(process.execPath, ['examples/web-page.mjs', '--serve'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const page = await browser.newPage()
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(20_000) })
    await page.goto(line.replace('open ', ''))
    await page.getByRole('button', { name: 'Ask' }).click()
    const expected = '[get_time]\nIt is <b>later</b> than you think, 5 < 6.'
    await page
      .waitForFunction((text) => document.querySelector('pre').textContent === text, expected, { timeout: 20_000 })
      .catch(() => {}) // told by the comparison
    assert.equal(await page.locator('pre').textContent(), expected)
  } finally {
    await page.close()
    child.kill()
  }
}

const answer = 'It is 18 °C in Tōkyō, says the tool of the page.'
const html =
  '<!doctype html><meta charset="utf-8"><title>toolwire</title><ul></ul><script type="module" src="/page.js"></script>'

/** First a call, then the answer once its result has come. */
function scriptOf({ messages }) {
  const result = messages.find((message) => message.role === 'tool')?.results[0]
  if (result === undefined) {
    return { calls: [{ name: 'get_weather', args: { city: 'Tōkyō', station: 12345678901234567890n } }] }
  }
  return JSON.stringify(result).includes('18') ? answer : `no result: ${JSON.stringify(result)}`
}

async function bundle() {
  const entry = fileURLToPath(new URL('page.mjs', import.meta.url))
  const options = { bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', minify: true }
  const { outputFiles } = await build({ entryPoints: [entry], ...options, logLevel: 'error' })
  return outputFiles[0].text
}

/** A server of these files, each with its type. Its pages may run no code from strings. */
async function served(files) {
  const server = createServer((request, response) => {
    const [type, text] = files[new URL(request.url, 'http://page').pathname] ?? []
    if (type === undefined) return response.writeHead(404).end()
    const policy = "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*"
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}

async function launched() {
  const quiet = ['quic', 'gpu', 'background-networking', 'component-update', 'sync'].map((name) => `--disable-${name}`)
  const args = [...quiet, '--no-first-run', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return chromium.launch({ executablePath: executable(), args })
}

/** `CHROMIUM`, or the first on PATH. */
function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const places = (process.env.PATH ?? '').split(delimiter)
  const found = names.flatMap((name) => places.map((place) => join(place, name))).find(isExecutable)
  if (found !== undefined) return found
  throw new Error(
    'there is no Chromium: install one (Debian: apt-get install chromium), or name one by CHROMIUM=/path/to/it',
  )
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
