// `toolwire generate` as a process: on the offline engine over every wire, and against a provider on the loopback.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { wires } from '../../src/conversation/messages.js'
import type { ProviderScript } from '../../src/testing/provider-script.js'
import { type ProviderServer, providerServer } from '../../src/testing/provider-server.js'
import { type Ended, temporaryFolder, toolwire } from './command.js'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'number' }, note: { type: 'string' } },
  required: ['city', 'celsius'],
}

function schemaFile(content: unknown = schema): string {
  const path = join(temporaryFolder(), 'schema.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function ask(
  script: ProviderScript,
  args: readonly string[],
): Promise<Ended & { readonly server: ProviderServer }> {
  const server = await providerServer({ script, strict: true })
  onTestFinished(() => server.close())
  const model = ['--model', 'openai:scripted', '--base-url', server.url]
  const ended = await toolwire(['generate', ...model, ...args], { env: { OPENAI_API_KEY: 'sk-test-0123456789abcdef' } })
  return { ...ended, server }
}

test.each(wires)('the offline engine answers in the schema over %s', async (wire) => {
  const words = 'It is 18 degrees celsius in the city of Boston'
  const { code, stdout } = await toolwire(['generate', '-m', `offline:${wire}`, '--schema', schemaFile(), words])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ city: 'Boston', celsius: 18 })
})

describe('with a provider', () => {
  test('the value goes to stdout, the rest to stderr, digits exact', async () => {
    const path = schemaFile({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] })
    const { code, stdout, stderr } = await ask(['{"id":12345678901234567890}'], ['--schema', path, 'An', 'id'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"id":12345678901234567890}\n' })
    expect(stderr).toContain('native, 1 answer of the model')
  })

  test('as JSON: the value, how it was got and what it cost', async () => {
    const answers = ['no', '{"city":"Boston","celsius":18,"note":null}']
    const { code, stdout } = await ask(answers, ['--json', '--schema', schemaFile(), 'Weather?'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      value: { city: 'Boston', celsius: 18 },
      rung: 'native',
      calls: 2,
      repairs: [{ kind: 'retry', text: 'no' }],
    })
  })

  test('with tools, under a name of its own', async () => {
    const script = [
      { calls: [{ name: 'calculator', args: { expression: '6 * 3' } }] },
      '{"city":"x","celsius":18,"note":null}',
    ]
    const { code, stdout, server } = await ask(script, [
      '--demo-tools',
      '--name',
      'weather',
      '--schema',
      schemaFile(),
      'x?',
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"city":"x","celsius":18}\n' })
    expect(server.requests[0]?.request.output).toMatchObject({ name: 'weather' })
    expect(JSON.stringify(server.requests[1]?.request.messages)).toContain('18')
  })
})

describe('exit codes', () => {
  test('1 when no answer fits, with the error as JSON', async () => {
    const { code, stdout, stderr } = await ask(() => 'no', ['--json', '--retries', '1', '--schema', schemaFile(), 'x'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'malformed_response', detail: { calls: 2, text: 'no' } },
    })
    expect(stderr).toContain('no usable "response" in 2 tries')
  })

  test('3 when a limit is reached', async () => {
    const { code, stderr } = await ask(() => 'no', ['--max-calls', '1', '--schema', schemaFile(), 'x'])
    expect(code).toBe(3)
    expect(stderr).toContain('within 1 answers')
  })

  test.each([
    ['no schema', ['x'], "required option '-s, --schema <file>'"],
    ['a missing file', ['--schema', 'no-such-file.json', 'x'], 'cannot read the schema'],
    ['no words', ['--schema', 'package.json'], "missing required argument 'words'"],
    ['a wrong number', ['--schema', 'package.json', '--retries', '-1', 'x'], 'whole number from 0 on'],
  ])('2 for %s', async (_, args, message) => {
    const { code, stderr } = await toolwire(['generate', '-m', 'offline', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('2 for a file that holds no schema', async () => {
    for (const content of ['{', '[1]', '{"type":"strin"}']) {
      const { code } = await toolwire(['generate', '-m', 'offline', '--schema', schemaFile(content), 'x'])
      expect(code, content).toBe(2)
    }
  })
})
