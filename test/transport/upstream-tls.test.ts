// The gateway's way to its providers over TLS: whom it trusts, and that a key goes to nobody else.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { openUpstream } from '../../src/cli/gateway-upstream.js'
import { temporaryFolder } from '../cli/command.js'
import { ask, chat, serve } from '../gateway/serving.js'
import { type Certificate, certificate } from './certificate.js'

interface SecureProvider {
  readonly url: string
  /** The protocol and the key of each request. */
  readonly asked: string[]
}

const answer = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'over TLS' }, finish_reason: 'stop' }],
})

async function secureProvider(identity: Certificate): Promise<SecureProvider> {
  const asked: string[] = []
  const server = createServer({ ...identity, ALPNProtocols: ['h2', 'http/1.1'] }, (request, response) => {
    asked.push(`${(request.socket as TLSSocket).alpnProtocol} ${request.headers.authorization}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

test('toolwire serve reaches a provider whose certificate it is told to trust, and none that has another name', async () => {
  const [right, wrong] = [certificate(), certificate('models.test')]
  const [trusted, misnamed] = [await secureProvider(right), await secureProvider(wrong)]
  const folder = temporaryFolder()
  const target = ({ url }: SecureProvider) => ({
    wire: 'openai-chat',
    baseUrl: url,
    apiKey: 'upstream-key',
    model: 'm',
    retries: 0,
  })
  const routes = [
    { match: 'any', targets: [target(trusted)] },
    { match: 'misnamed', targets: [target(misnamed)] },
  ]
  writeFileSync(join(folder, 'gateway.json'), JSON.stringify({ routes, keys: [{ name: 'team', key: 'client-key-1' }] }))
  writeFileSync(join(folder, 'trusted.pem'), right.cert + wrong.cert)
  const gateway = await serve(['--config', join(folder, 'gateway.json')], {
    NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem'),
  })
  expect(await (await ask(gateway.url)).text()).toContain('over TLS')
  expect(trusted.asked).toEqual(['http/1.1 Bearer upstream-key'])
  const refused = await ask(gateway.url, 'client-key-1', chat.replace('any', 'misnamed'))
  expect(refused.status).toBe(502)
  expect(await refused.text()).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(misnamed.asked).toEqual([])
})

test('a certificate that nobody vouches for is a network error that says so, and nothing is sent', async () => {
  const { url, asked } = await secureProvider(certificate())
  const { transport, close } = await openUpstream()
  const call = transport({ method: 'POST', url, headers: {}, body: '{}', signal: new AbortController().signal })
  await expect(call).rejects.toMatchObject({
    code: 'network',
    message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') as string,
  })
  expect(asked).toEqual([])
  await close()
})
