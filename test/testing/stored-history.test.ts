// The example of docs/migration.md, run as it is written: a history that another provider's client stored is continued on Anthropic.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anthropic, codecs, profileOf, run } from '../../src/index.js'
import { providerServer } from '../../src/testing/index.js'

const page = readFileSync(new URL('../../docs/migration.md', import.meta.url), 'utf8')

test('the example of "Histories you have stored" is accepted by a strict provider', async () => {
  const [, code = ''] = /## Histories you have stored\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? []
  const [head = '', ...lines] = code.trim().split('\n')
  expect(head).toBe("import { anthropic, codecs, profileOf, run } from 'toolwire'")
  await using server = await providerServer({ strict: true, script: ['Rain.'] })
  const local = (model: string) => anthropic(model, { baseUrl: server.url, apiKey: 'k' })
  const program = Reflect.construct((async () => {}).constructor, [
    'anthropic',
    'codecs',
    'profileOf',
    'run',
    `${lines.join('\n')}\nreturn result`,
  ]) as (...names: readonly unknown[]) => Promise<{ readonly text: string }>
  const result = await program(local, codecs, profileOf, run)
  expect(result.text).toBe('Rain.')
  const [asked] = server.requests
  expect(asked?.request.tools).toEqual([{ name: 'get_weather', inputSchema: { type: 'object' } }])
  expect(asked?.request.toolChoice).toBe('none')
})
