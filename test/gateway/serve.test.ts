// `toolwire serve` as a process, and the socket it listens on: reload, drain, clients that leave or read slowly.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/cli/gateway-server.js'
import type { Wire } from '../../src/conversation/messages.js'
import { createGateway } from '../../src/gateway/index.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import { cleanEnvironment, entry, temporaryFolder, toolwire } from '../cli/command.js'

const chat = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'private words' }] })

interface Serving {
  readonly url: string
  output(): string
  kill(): void
  readonly ended: Promise<number | null>
}

async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const child = spawn(process.execPath, [entry, 'serve', '--port', '0', ...args], {
    env: cleanEnvironment(env),
    cwd: temporaryFolder(),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  await expect.poll(() => output, { timeout: 20_000 }).toMatch(/gateway on \S+/)
  const url = /gateway on (\S+)/.exec(output)?.[1] ?? ''
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { url, output: () => output, kill: () => void child.kill('SIGTERM'), ended }
}

function ask(url: string, key = 'client-key-1', body = chat): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
}

describe('toolwire serve', () => {
  test('without a config and keys serves the offline engine, and says how clients reach it', async () => {
    const { url, output, kill, ended } = await serve([])
    expect((await ask(url)).status).toBe(200)
    expect(output()).toContain('the offline engine')
    expect(output()).toContain(`ANTHROPIC_BASE_URL=${url}`)
    kill()
    expect(await ended).toBe(0)
  })

  test('reads a changed config again, keeps the old one when it is bad, and logs neither keys nor bodies', async () => {
    const server = await providerServer({ strict: true })
    onTestFinished(() => server.close())
    const file = join(temporaryFolder(), 'gateway.json')
    const write = (key: string, more: object = {}): void => {
      const targets = [{ wire: 'anthropic', baseUrl: server.url, apiKey: `\${UPSTREAM}`, model: 'scripted' }]
      const config = { routes: [{ match: '*', targets }], keys: [{ name: 'team', key }], ...more }
      writeFileSync(file, JSON.stringify(config))
    }
    write('client-key-1')
    const { url, output } = await serve(['--config', file], { UPSTREAM: 'upstream-secret' })
    expect((await ask(url)).status).toBe(200)
    write('client-key-2')
    await expect.poll(async () => (await ask(url, 'client-key-2')).status, { timeout: 10_000 }).toBe(200)
    expect((await ask(url, 'client-key-1')).status).toBe(401)
    write('client-key-3', { unknown: 1 })
    await expect.poll(output, { timeout: 10_000 }).toContain('the one before stays')
    expect((await ask(url, 'client-key-2')).status).toBe(200)
    for (const hidden of ['client-key', 'upstream-secret', 'private words']) expect(output()).not.toContain(hidden)
    const lines = output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ status: 200, client: 'team', target: 'anthropic:scripted' }),
    )
  })

  test.each([
    [['--host', '0.0.0.0'], /open to everybody/],
    [['--config', 'nowhere.json'], /cannot read the config/],
    [['--port', 'x'], /Give a port/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await toolwire(['serve', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('finishes answers on their way when it is told to stop, and takes no more', async () => {
    const script: ProviderServerOptions['script'] = () => ({ text: 'The whole answer.', delayMs: 1_000 })
    const server = await providerServer({ script })
    onTestFinished(() => server.close())
    const file = join(temporaryFolder(), 'gateway.json')
    const targets = [{ wire: 'anthropic', baseUrl: server.url, apiKey: 'x', model: 'm' }]
    writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }] }))
    const { url, kill, ended, output } = await serve(['--config', file])
    const answer = ask(url)
    await expect.poll(() => server.requests.length).toBe(1)
    kill()
    await expect.poll(output).toContain('stopping')
    await expect(ask(url)).rejects.toThrow()
    expect(await (await answer).text()).toContain('The whole answer.')
    expect(await ended).toBe(0)
  })
})

/** A gateway on a socket in front of an upstream of the test's own. */
async function gatewayBefore(wire: Wire, upstream: string): Promise<string> {
  const target = { wire, baseUrl: upstream, apiKey: 'x', model: 'm', retries: 0 }
  const gateway = createGateway({ routes: [{ match: '*', targets: [target] }] })
  const server = await listen(() => gateway, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.drain(0))
  return server.url
}

const streamed = JSON.stringify({ ...(JSON.parse(chat) as object), stream: true })

describe('a client', () => {
  test.each<[Wire, string]>([
    ['anthropic', streamed],
    ['openai-chat', streamed],
    ['anthropic', chat],
  ])('that leaves ends the call upstream at once: onto %s', async (wire, body) => {
    let left = false
    const upstream = createServer((_, outgoing) => {
      outgoing.on('close', () => {
        left = true
      })
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write('data: {"type":"ping"}\n\n')
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    onTestFinished(() => void upstream.close())
    const url = await gatewayBefore(wire, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
    const reached = once(upstream, 'request')
    const asking = request(`${url}/v1/chat/completions`, { method: 'POST' })
    asking.on('error', () => {}) // it is the test that breaks it off
    asking.end(body)
    await reached
    asking.destroy()
    await expect.poll(() => left, { timeout: 5_000 }).toBe(true)
  })

  test.each<Wire>(['openai-chat', 'anthropic'])('that does not read holds the upstream back: %s', async (wire) => {
    let sent = 0
    const filler = 'x'.repeat(16_384)
    const chunk =
      wire === 'anthropic'
        ? `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${filler}"}}\n\n`
        : `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${filler}"}}]}\n\n`
    const start =
      wire === 'anthropic'
        ? 'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
        : ''
    const upstream = createServer((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(start)
      const pump = (): void => {
        while (!outgoing.destroyed && outgoing.write(chunk)) sent += chunk.length
        sent += chunk.length
        outgoing.once('drain', pump)
      }
      pump()
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    onTestFinished(() => {
      upstream.closeAllConnections()
      upstream.close()
    })
    const url = await gatewayBefore(wire, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
    const asking = request(`${url}/v1/chat/completions`, { method: 'POST' })
    asking.on('error', () => {}) // it is the test that breaks it off
    asking.end(streamed)
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.pause()
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = before === sent
          before = sent
          return isStill && sent > 0
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true)
    // What is on its way lies in the buffers of the system, 6 MiB at most for each of the two connections.
    expect(sent).toBeLessThanOrEqual(2 * 6 * 1024 * 1024)
    asking.destroy()
  })
})
