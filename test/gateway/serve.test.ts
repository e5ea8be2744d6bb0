// `toolwire serve` as a process, and the socket it listens on: reload, drain, clients that leave or read slowly.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/cli/gateway-server.js'
import type { Lister } from '../../src/cli/models.js'
import { foundRoutes } from '../../src/cli/serve-routes.js'
import type { Wire } from '../../src/conversation/messages.js'
import { createGateway } from '../../src/gateway/index.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import { temporaryFolder, toolwire } from '../cli/command.js'
import { root } from '../layers/source.js'
import { sendRaw } from './raw-http.js'
import { ask, chat, serve } from './serving.js'

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

  type Change = (folder: string, write: (file: string, key: string) => void) => void
  test.each<[name: string, before: Change, after: Change]>([
    [
      'a folder of links is swapped, as Kubernetes does',
      (folder, write) => {
        write(join(folder, 'v1/gateway.json'), 'client-key-1')
        symlinkSync('v1', join(folder, '..data'))
        symlinkSync('..data/gateway.json', join(folder, 'gateway.json'))
      },
      (folder, write) => {
        write(join(folder, 'v2/gateway.json'), 'client-key-2')
        symlinkSync('v2', join(folder, '..next'))
        renameSync(join(folder, '..next'), join(folder, '..data'))
      },
    ],
    [
      'the file behind a link is written',
      (folder, write) => {
        write(join(folder, 'elsewhere/real.json'), 'client-key-1')
        symlinkSync('elsewhere/real.json', join(folder, 'gateway.json'))
      },
      (folder, write) => write(join(folder, 'elsewhere/real.json'), 'client-key-2'),
    ],
    [
      'the folder is replaced',
      (folder, write) => write(join(folder, 'gateway.json'), 'client-key-1'),
      (folder, write) => {
        renameSync(folder, `${folder}-before`)
        onTestFinished(() => rmSync(`${folder}-before`, { recursive: true }))
        write(join(folder, 'gateway.json'), 'client-key-2')
      },
    ],
    [
      'it is written again and again in one go',
      (folder, write) => write(join(folder, 'gateway.json'), 'client-key-1'),
      (folder, write) => {
        for (const key of ['client-key-3', 'client-key-4', 'client-key-2']) write(join(folder, 'gateway.json'), key)
      },
    ],
  ])('reads a changed config once when %s', async (_, before, after) => {
    const folder = join(temporaryFolder(), 'config')
    const write = (file: string, key: string): void => {
      mkdirSync(dirname(file), { recursive: true })
      const targets = [{ wire: 'anthropic', baseUrl: 'http://127.0.0.1:9' }]
      writeFileSync(file, JSON.stringify({ routes: [{ match: 'm', targets }], keys: [{ name: 'team', key }] }))
    }
    before(folder, write)
    const { url, output } = await serve(['--config', join(folder, 'gateway.json')])
    const listed = async (key: string): Promise<number> =>
      (await fetch(`${url}/v1/models`, { headers: { 'x-api-key': key } })).status
    expect(await listed('client-key-1')).toBe(200)
    after(folder, write)
    await expect.poll(() => listed('client-key-2'), { timeout: 10_000 }).toBe(200)
    writeFileSync(join(folder, 'another.json'), '') // stirs the folder, not the config
    await sleep(1_500)
    expect(output().match(/was read again/g)).toHaveLength(1)
    expect(output()).not.toContain('the one before stays')
  })

  test('sees a changed config beside a file that is written all the time, as a log is', async () => {
    const folder = temporaryFolder()
    const write = (match: string): void => {
      const targets = [{ wire: 'anthropic', baseUrl: 'http://127.0.0.1:9' }]
      writeFileSync(join(folder, 'gateway.json'), JSON.stringify({ routes: [{ match, targets }] }))
    }
    write('before')
    const { output } = await serve(['--config', join(folder, 'gateway.json')])
    const logging = setInterval(() => writeFileSync(join(folder, 'gateway.log'), 'a line\n'), 20)
    onTestFinished(() => clearInterval(logging))
    write('after')
    await expect.poll(output, { timeout: 10_000 }).toContain('was read again')
  })

  test('says which settings of a changed config wait for the next start', async () => {
    const file = join(temporaryFolder(), 'gateway.json')
    const write = (more: object): void => {
      const targets = [{ wire: 'anthropic', baseUrl: 'http://127.0.0.1:9' }]
      writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }], ...more }))
    }
    write({})
    const { output } = await serve(['--config', file])
    write({ redis: 'redis://:secret-word@127.0.0.1', limits: { concurrency: 5, storedBytes: 5 } })
    await expect
      .poll(output, { timeout: 10_000 })
      .toContain('redis, limits.storedBytes: takes effect when the gateway is started again')
    expect(output()).not.toContain('secret-word')
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
    const { url, kill, ended, output } = await serve(['--config', configFor(server.url)])
    const answer = ask(url)
    await expect.poll(() => server.requests.length).toBe(1)
    kill()
    await expect.poll(output).toContain('stopping')
    await expect(ask(url)).rejects.toThrow()
    expect(await (await answer).text()).toContain('The whole answer.')
    expect(await ended).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'a second %s ends it at once, with answers on their way',
    async (signal) => {
      const server = await providerServer({ script: () => ({ hang: true }) })
      onTestFinished(() => server.close())
      const { url, kill, ended, output } = await serve(['--config', configFor(server.url), '--drain', '600'])
      const answer = ask(url).then(
        () => 'answered',
        () => 'cut',
      )
      await expect.poll(() => server.requests.length).toBe(1)
      kill(signal)
      await expect.poll(output).toContain('stopping')
      kill(signal)
      expect(await ended).toBe(130)
      expect(await answer).toBe('cut')
    },
  )

  const half: readonly [name: string, sent: string, status: number][] = [
    ['nothing', '', 0],
    ['half a head', 'POST /v1/chat/completions HTTP/1.1\r\nhost: 127', 0],
    ['a request that was answered', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n', 200],
    [
      'half a body',
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900\r\n\r\n{"model":`,
      503,
    ],
  ]
  test.each(half)('a connection with %s does not hold it when it is told to stop', async (_, sent, status) => {
    const { url, kill, ended, output } = await serve(['--config', configFor('http://127.0.0.1:9'), '--drain', '600'])
    const answer = sendRaw(url, [sent])
    await (await fetch(`${url}/healthz`)).text() // what was sent before has come by now
    await sleep(100)
    const started = performance.now()
    kill()
    expect(await ended).toBe(0)
    expect(performance.now() - started).toBeLessThan(4_000)
    expect((await answer).status).toBe(status)
    if (status === 503)
      expect((await answer).head).toMatch(
        /connection: close[\s\S]*retry-after: 1|retry-after: 1[\s\S]*connection: close/i,
      )
    expect(output()).not.toContain('"error":"network"')
  })

  test('a body that is about to be whole is still answered when it is told to stop', async () => {
    const server = await providerServer({ strict: true })
    onTestFinished(() => server.close())
    const { url, kill, ended } = await serve(['--config', configFor(server.url), '--drain', '600'])
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${chat.length}\r\n\r\n`
    const answer = sendRaw(url, [head + chat.slice(0, 9), 600, chat.slice(9)])
    await sleep(400)
    kill()
    expect((await answer).status).toBe(200)
    expect(await ended).toBe(0)
  })

  test.each([true, false])('an answer that is cut because it stops is told as that (stream: %s)', async (stream) => {
    const upstream = createServer((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write('event: ping\ndata: {"type":"ping"}\n\n')
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    onTestFinished(() => void upstream.close())
    const config = configFor(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
    const { url, kill, ended, output } = await serve(['--config', config, '--drain', '0.2'])
    const reached = once(upstream, 'request')
    const body = JSON.stringify({ model: 'm', max_tokens: 9, stream, messages: [{ role: 'user', content: 'Hello' }] })
    const asked = [`${url}/v1/messages`, `${url}/v1/chat/completions`].map((address) =>
      fetch(address, { method: 'POST', body })
        .then((answer) => answer.text())
        .catch(() => 'cut'),
    )
    await reached
    await sleep(300)
    kill()
    expect(await ended).toBe(0)
    expect(await Promise.all(asked)).toEqual(['cut', 'cut'])
    const told = output()
      .split('\n')
      .filter((line) => line.includes('"path":"/v1/'))
      .map((line) => JSON.parse(line) as { readonly status: number })
    const stopped = { error: 'aborted', msg: 'the gateway was stopped before this answer was whole' }
    expect(told).toMatchObject([stopped, stopped])
    // Across wires nothing had been said yet.
    expect(told.map(({ status }) => status).sort()).toEqual([stream ? 200 : 503, 503])
  })

  test('goes on without its log when nobody reads that any more', async () => {
    const server = await providerServer({ script: () => ({ text: 'The whole answer.', delayMs: 300 }) })
    onTestFinished(() => server.close())
    const { url, kill, ended, output, closeLog } = await serve(['--config', configFor(server.url)])
    closeLog()
    for (let round = 0; round < 3; round += 1) {
      expect(await (await ask(url)).text()).toContain('The whole answer.')
      await sleep(50)
    }
    expect(output().match(/goes on without it/g)).toHaveLength(1)
    kill()
    expect(await ended).toBe(0)
  })

  test('--drain is how long answers on their way are waited for', async () => {
    const server = await providerServer({ script: () => ({ hang: true }) })
    onTestFinished(() => server.close())
    const { url, kill, ended } = await serve(['--config', configFor(server.url), '--drain', '0.1'])
    const answer = ask(url).then(
      () => 'answered',
      () => 'cut',
    )
    await expect.poll(() => server.requests.length).toBe(1)
    kill()
    expect(await ended).toBe(0)
    expect(await answer).toBe('cut')
  })

  test('without a config serves the models of a running Ollama, and those under every other name', async () => {
    const server = await providerServer({ strict: true, models: ['small', 'large'] })
    onTestFinished(() => server.close())
    const { url, output } = await serve([], { OLLAMA_HOST: server.url })
    await expect.poll(output).toContain('small (Ollama has it)')
    const list = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toEqual(['small', 'large'])
    for (const model of ['large', 'claude-of-a-client']) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
      expect((await ask(url, 'any', body)).status).toBe(200)
    }
    expect(server.requests.map(({ wire, request: { model } }) => [wire, model])).toEqual([
      ['ollama', 'large'],
      ['ollama', 'small'],
    ])
  })

  test('makes spans when it is started with an OpenTelemetry SDK', async () => {
    const server = await providerServer({ strict: true })
    onTestFinished(() => server.close())
    const setUp = join(root, 'test/gateway/print-spans.mjs')
    const { url, output } = await serve(['--config', configFor(server.url)], { NODE_OPTIONS: `--import ${setUp}` })
    await ask(url)
    await expect.poll(output).toContain('span chat any {"http.request.method":"POST"')
    expect(output()).toContain('"gen_ai.provider.name":"anthropic"')
    expect(output()).not.toContain('private words')
  })
})

/** A config that sends every name to the Anthropic side of a provider server. */
function configFor(baseUrl: string): string {
  const file = join(temporaryFolder(), 'gateway.json')
  const targets = [{ wire: 'anthropic', baseUrl, apiKey: 'x', model: 'm' }]
  writeFileSync(file, JSON.stringify({ routes: [{ match: '*', targets }] }))
  return file
}

describe('the providers of the keys that are set', () => {
  const none: Lister = async () => []
  const listed: Lister = async ({ wire }) => (wire === 'ollama' ? [] : [{ id: 'claude-sonnet-9' }, { id: 'gpt-9' }])

  test('each serve the names that are their own; the first of them every other', async () => {
    const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b', GEMINI_API_KEY: 'c', XAI_API_KEY: 'd' }
    const { options, lines } = await foundRoutes(env, listed)
    expect(options.routes.slice(0, -1)).toEqual([
      { match: 'claude-*', targets: [{ wire: 'anthropic' }] },
      { match: 'gpt-*', targets: [{ wire: 'openai-responses' }] },
      { match: 'gemini-*', targets: [{ wire: 'gemini' }] },
      { match: 'grok-*', targets: [{ wire: 'openai-chat', profile: 'xai' }] },
    ])
    expect(options.routes.at(-1)).toMatchObject({ match: '*', targets: [{ name: 'anthropic:claude-sonnet-9' }] })
    expect(lines[0]).toBe('claude-* (ANTHROPIC_API_KEY is set)')
  })

  test('one key is one route, and nothing else is served when its models cannot be listed', async () => {
    const { options, lines } = await foundRoutes({ GEMINI_API_KEY: 'c', OPENAI_API_KEY: '' }, none)
    expect(options.routes).toEqual([{ match: 'gemini-*', targets: [{ wire: 'gemini' }] }])
    expect(lines.join()).toContain('other names are not served')
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

/** What the system may hold of one connection that nobody reads: Linux says it, 10 MiB is its own default. */
function connectionBytes(): number {
  const most = (kind: 'rmem' | 'wmem', otherwise: number): number => {
    const file = `/proc/sys/net/ipv4/tcp_${kind}`
    return existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split(/\s+/).at(-1)) : otherwise
  }
  return most('rmem', 6 * 1024 * 1024) + most('wmem', 4 * 1024 * 1024)
}

const streamed = JSON.stringify({ ...(JSON.parse(chat) as object), stream: true })

test('a request has as long as the gateway gives its body, whatever Node would', async () => {
  let timeoutMs: number | undefined
  const see = (told: unknown): void => {
    timeoutMs = (told as { readonly server: Server }).server.requestTimeout
  }
  subscribe('http.server.request.start', see)
  onTestFinished(() => void unsubscribe('http.server.request.start', see))
  await (await fetch(await gatewayBefore('anthropic', 'http://127.0.0.1:9'))).text()
  expect(timeoutMs).toBe(0)
})

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

  test('that leaves in a later call of its connection ends that call upstream', async () => {
    const answer = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: 'end_turn' }
    let calls = 0
    let left = 0
    const upstream = createServer((_, outgoing) => {
      calls += 1
      if (calls < 3) {
        outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
        return
      }
      outgoing.on('close', () => {
        left += 1
      })
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    onTestFinished(() => void upstream.close())
    const url = await gatewayBefore('anthropic', `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const asked = (): ClientRequest => request(`${url}/v1/chat/completions`, { method: 'POST', agent })
    for (let call = 0; call < 2; call += 1) {
      const asking = asked().end(chat)
      const [incoming] = (await once(asking, 'response')) as [IncomingMessage]
      expect(incoming.statusCode).toBe(200)
      await once(incoming.resume(), 'end')
    }
    const last = asked()
    last.on('error', () => {}) // it is the test that breaks it off
    last.end(chat)
    await expect.poll(() => calls).toBe(3)
    expect([last.reusedSocket, left]).toEqual([true, 0])
    last.destroy()
    await expect.poll(() => left, { timeout: 5_000 }).toBe(1)
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
    // Still, because all that is on its way lies in the buffers of the two connections.
    expect(sent).toBeLessThanOrEqual(2 * connectionBytes())
    asking.destroy()
  })
})
