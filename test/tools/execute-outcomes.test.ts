// Every way a call can end: its category, the exact text the model reads, and the text of a LangChain tool message.
import { describe, expect, it } from 'vitest'
import { type AnyCall, textOf } from '../../src/conversation/messages.js'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { AuditRecord } from '../../src/tools/audit.js'
import { executeToolCalls, ToolExecutor, type Tools } from '../../src/tools/execute.js'
import type { ExecuteOptions } from '../../src/tools/executor-options.js'
import { importTool } from '../../src/tools/import-tool.js'
import { errorText } from '../../src/tools/results.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { forever, revoked, sampleBroken, sampleCall, sampleTool } from './sample-tool.js'

interface Case {
  readonly name: string
  readonly tools: Tools
  readonly call?: AnyCall
  readonly options?: ExecuteOptions
  readonly category?: string
  /** Undefined: the text of a success. */
  readonly message?: string
  readonly details?: string
  readonly text?: string
}

const one = (execute: () => unknown, fields: Partial<AnyTool> = {}): readonly AnyTool[] => [
  sampleTool('x', execute, fields),
]
const throwing = (value: unknown): readonly AnyTool[] =>
  one(() => {
    throw value
  })
const aborted = AbortSignal.abort()
const issues = [
  { path: '/city', message: 'must be string' },
  { path: '', message: "must have required property 'unit'" },
]

const successes: readonly Case[] = [
  { name: 'a string is passed as it is', tools: one(() => 'sunny'), text: 'sunny' },
  { name: 'an object is passed as JSON', tools: one(() => ({ celsius: 18 })), text: '{"celsius":18}' },
  { name: 'undefined is empty', tools: one(() => undefined), text: '' },
  { name: 'a promise is awaited', tools: one(async () => 'later'), text: 'later' },
  {
    name: 'an approved call runs',
    tools: one(() => 'ok'),
    options: { approve: async () => 'allow' as const },
    text: 'ok',
  },
  { name: 'a plain function runs every call', tools: (call) => `ran ${call.name}`, text: 'ran x' },
  {
    name: 'a local tool may use its capabilities',
    tools: one(() => 'ok', { capabilities: ['shell'] }),
    text: 'ok',
  },
  {
    name: 'an imported tool runs when its capability is allowed',
    tools: one(() => 'ok', { capabilities: ['network'], source: 'mcp' }),
    options: { policy: { network: 'allow' } },
    text: 'ok',
  },
  {
    name: 'a valid output passes as its schema gives it',
    tools: one(() => '5', { checkOutput: (value) => ({ ok: true, value: Number(value) }) }),
    text: '5',
  },
]

const refusals: readonly Case[] = [
  {
    name: 'an unknown tool',
    tools: [sampleTool('a', () => 1), sampleTool('b', () => 2)],
    category: 'resource_not_found',
    message: 'Unknown tool "x"',
    details: 'knownTools: a, b',
  },
  {
    name: 'an unknown tool among none',
    tools: [],
    category: 'resource_not_found',
    message: 'Unknown tool "x"',
    details: 'knownTools: none',
  },
  {
    name: 'a call cut by the output limit',
    tools: one(() => 1),
    call: sampleBroken('x', 'truncated', '{"city":"Par'),
    category: 'invalid_arguments',
    message:
      'The call to "x" was not run: the output limit cut it off before its arguments were complete; call again with shorter arguments',
  },
  {
    name: 'a malformed call',
    tools: one(() => 1),
    call: sampleBroken('x', 'malformed', '{city:1}'),
    category: 'invalid_arguments',
    message: 'The call to "x" was not run: its arguments are not valid JSON; call again with one complete JSON object',
  },
  {
    name: 'a call whose arguments are a list',
    tools: one(() => 1),
    call: sampleBroken('x', 'not_an_object', '[1]'),
    category: 'invalid_arguments',
    message:
      'The call to "x" was not run: its arguments are not a JSON object; call again with one complete JSON object',
  },
  {
    name: 'a call without a name',
    tools: one(() => 1),
    call: sampleBroken('', 'no_name', '{}'),
    category: 'invalid_arguments',
    message: 'The call to "" was not run: it names no tool; call again with the name of a tool',
  },
  {
    name: 'a call that claims to be whole and is not',
    tools: one(() => 1),
    call: sampleCall('x', '{"city":'),
    category: 'invalid_arguments',
    message:
      'The call to "x" was not run: its arguments cannot be read as a JSON object; call again with one complete JSON object',
  },
  {
    name: 'a call with more arguments than are allowed',
    tools: one(() => 1),
    call: sampleCall('x', { list: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
    options: { argumentLimits: { values: 5 } },
    category: 'invalid_arguments',
    message: 'The call to "x" was not run: its arguments have more than 5 values; call again with less',
  },
  {
    name: 'arguments that are too costly to check',
    tools: [
      importTool({ name: 'x', parameters: { properties: { list: { type: 'array', items: { type: 'integer' } } } } })
        .tool,
    ],
    call: sampleCall('x', { list: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
    options: { argumentLimits: { work: 5 } },
    category: 'invalid_arguments',
    message:
      'Invalid arguments for tool "x": is too costly to check against its schema: it takes more than 5 steps; send fewer or shorter values',
  },
  {
    name: 'invalid arguments, every failing path',
    tools: one(() => 1, { checkInput: () => ({ ok: false, issues }) }),
    category: 'invalid_arguments',
    message: `Invalid arguments for tool "x": /city must be string; must have required property 'unit'`,
  },
  {
    name: 'an invalid output',
    tools: one(() => 1, { checkOutput: async () => ({ ok: false, issues }) }),
    category: 'unknown',
    message: 'Tool "x" returned a value that does not match its output schema',
    details: `issues: /city must be string; must have required property 'unit'`,
  },
  {
    name: 'a call the approver denies',
    tools: one(() => 1),
    options: { approve: () => ({ deny: 'not on a Friday' }) },
    category: 'permission_denied',
    message: 'The call to "x" was denied: not on a Friday',
  },
  {
    name: 'an approver that throws',
    tools: one(() => 1),
    options: { approve: () => Promise.reject(new Error('password=hunter22')) },
    category: 'permission_denied',
    message: 'The call to "x" was denied: asking for approval failed',
  },
  {
    name: 'an approver that gives no answer',
    tools: one(() => 1),
    options: { approve: (() => true) as never },
    category: 'permission_denied',
    message: 'The call to "x" was denied: asking for approval failed',
  },
  {
    name: 'a paused call, where plain results were asked for',
    tools: one(() => 1),
    options: { approve: () => 'pause' },
    category: 'permission_denied',
    message: 'The call to "x" waits for approval and was not run',
  },
  {
    name: 'a capability the policy denies',
    tools: one(() => 1, { capabilities: ['network', 'shell'] }),
    options: { policy: { shell: 'deny' }, approve: () => 'allow' },
    category: 'permission_denied',
    message: 'The call to "x" was denied: the policy denies the capability "shell"',
  },
  {
    name: 'a capability to ask about, and nobody to ask',
    tools: one(() => 1, { capabilities: ['database'] }),
    options: { policy: { database: 'ask' } },
    category: 'permission_denied',
    message: 'The call to "x" was denied: it needs approval for database, and nobody can give it',
  },
  {
    name: 'an imported tool with a capability, and nobody to ask',
    tools: one(() => 1, { capabilities: ['network'], source: 'mcp' }),
    category: 'permission_denied',
    message: 'The call to "x" was denied: it needs approval for network, and nobody can give it',
  },
  {
    name: 'an unknown capability',
    tools: one(() => 1, { capabilities: ['teleport' as never] }),
    category: 'permission_denied',
    message:
      'The call to "x" was denied: it declares the unknown capability "teleport" (known: network, filesystem, database, shell)',
  },
]

const endings: readonly Case[] = [
  {
    name: 'a tool that outlives its own time',
    tools: one(forever, { timeoutMs: 5 }),
    category: 'execution_timeout',
    message: 'Tool "x" did not finish within 5 ms; whether it took effect is not known',
  },
  {
    name: 'a tool that outlives the executor’s time',
    tools: one(forever),
    options: { timeoutMs: 6 },
    category: 'execution_timeout',
    message: 'Tool "x" did not finish within 6 ms; whether it took effect is not known',
  },
  {
    name: 'a tool that outlives the deadline',
    tools: one(forever),
    options: { deadlineMs: 10 },
    category: 'execution_timeout',
    message: 'Tool "x" did not finish within the deadline of its batch; whether it took effect is not known',
  },
  {
    name: 'an approver that outlives the deadline',
    tools: one(() => 1),
    options: { deadlineMs: 10, approve: forever },
    category: 'execution_timeout',
    message: 'The time was up before the tool started',
  },
  {
    name: 'a check that never ends',
    tools: one(() => 1, { checkInput: forever, timeoutMs: 5 }),
    category: 'execution_timeout',
    message: 'The time was up before the tool started',
  },
  {
    name: 'a run that was aborted before',
    tools: one(() => 1),
    options: { signal: aborted },
    category: 'cancelled',
    message: 'The run was aborted before the tool started',
  },
  {
    name: 'a rate limit that lets nothing through',
    tools: one(() => 1, { rateLimit: { calls: 0, perMs: 1000 } }),
    category: 'rate_limited',
    message: '"x" may be called 0 times in 1000 ms',
    details: 'retryAfterMs: Infinity',
  },
]

const named = (name: string): Error => Object.assign(new Error('stopped'), { name })
const coded = (code: string, message = 'no way'): Error => Object.assign(new Error(message), { code })
const status = (value: number): Error => Object.assign(new Error('HTTP error'), { status: value })

const throws: readonly Case[] = [
  {
    name: 'a ToolExecutionError as it was written, secrets included',
    tools: throwing(new ToolExecutionError('rate_limited', 'token=abc123456 slow down', { details: { wait: '5 s' } })),
    category: 'rate_limited',
    message: 'token=abc123456 slow down',
    details: 'wait: 5 s',
  },
  { name: 'an error', tools: throwing(new Error('disk full')), category: 'unknown', message: 'disk full' },
  {
    name: 'a rejection',
    tools: one(() => Promise.reject(new Error('disk full'))),
    category: 'unknown',
    message: 'disk full',
  },
  { name: 'undefined', tools: throwing(undefined), category: 'unknown', message: 'The tool threw undefined' },
  { name: 'null', tools: throwing(null), category: 'unknown', message: 'The tool threw null' },
  { name: 'a number', tools: throwing(42), category: 'unknown', message: 'The tool threw 42' },
  { name: 'a string', tools: throwing('nope'), category: 'unknown', message: 'nope' },
  {
    name: 'a plain object',
    tools: throwing({ reason: 7 }),
    category: 'unknown',
    message: 'The tool threw {"reason":7}',
  },
  {
    name: 'an error without a message',
    tools: throwing(new RangeError()),
    category: 'unknown',
    message: 'The tool threw RangeError without a message',
  },
  {
    name: 'a revoked proxy',
    tools: throwing(revoked()),
    category: 'unknown',
    message: 'The tool threw "[unreadable]"',
  },
  {
    name: 'an object whose getters throw',
    tools: throwing({
      get message() {
        throw new Error('no')
      },
    }),
    category: 'unknown',
    message: 'The tool threw {"message":"[unreadable]"}',
  },
  { name: 'an AbortError', tools: throwing(named('AbortError')), category: 'cancelled', message: 'stopped' },
  { name: 'a TimeoutError', tools: throwing(named('TimeoutError')), category: 'execution_timeout', message: 'stopped' },
  { name: 'ECONNREFUSED', tools: throwing(coded('ECONNREFUSED')), category: 'network_error', message: 'no way' },
  { name: 'ENOTFOUND', tools: throwing(coded('ENOTFOUND')), category: 'network_error', message: 'no way' },
  { name: 'ENOENT', tools: throwing(coded('ENOENT')), category: 'resource_not_found', message: 'no way' },
  { name: 'EACCES', tools: throwing(coded('EACCES')), category: 'permission_denied', message: 'no way' },
  {
    name: 'a failed fetch',
    tools: throwing(new TypeError('fetch failed')),
    category: 'network_error',
    message: 'fetch failed',
  },
  {
    name: 'a cause with a code',
    tools: throwing(new Error('lookup', { cause: coded('EAI_AGAIN') })),
    category: 'network_error',
    message: 'lookup',
  },
  { name: 'status 401', tools: throwing(status(401)), category: 'authentication_failed', message: 'HTTP error' },
  { name: 'status 403', tools: throwing(status(403)), category: 'permission_denied', message: 'HTTP error' },
  { name: 'status 404', tools: throwing(status(404)), category: 'resource_not_found', message: 'HTTP error' },
  { name: 'status 429', tools: throwing(status(429)), category: 'rate_limited', message: 'HTTP error' },
  {
    name: 'a response with a status',
    tools: throwing({ message: 'bad', response: { status: 429 } }),
    category: 'rate_limited',
    message: 'bad',
  },
  {
    name: 'a ToolwireError by its code',
    tools: throwing(new ToolwireError('quota_exceeded', 'no more')),
    category: 'rate_limited',
    message: 'no more',
  },
  {
    name: 'a secret in a foreign message',
    tools: throwing(new Error('cannot connect to postgres://bob:hunter2secret@db/app')),
    category: 'unknown',
    message: 'cannot connect to postgres://bob:[redacted]@db/app',
  },
  {
    name: 'a secret the program named',
    tools: throwing(new Error('the magic word is swordfish')),
    options: { secrets: ['swordfish'] },
    category: 'unknown',
    message: 'the magic word is [redacted]',
  },
  {
    name: 'a foreign message that is withheld',
    tools: throwing(coded('ECONNRESET', 'internal host db7')),
    options: { exposeErrors: 'category' },
    category: 'network_error',
    message: 'the reason is withheld',
  },
  {
    name: 'a returned promise that is a revoked proxy',
    tools: one(() => revoked()),
    category: 'unknown',
    message: "Cannot perform 'get' on a proxy that has been revoked",
  },
  {
    name: 'a tool object that breaks its contract',
    tools: { get: (name) => sampleTool(name, () => 1, { capabilities: undefined as never }), list: () => [] },
    category: 'unknown',
    message: 'tool.capabilities is not iterable',
  },
]

describe('every outcome of a call', () => {
  it.each(successes)('$name', async ({ tools, options, text }) => {
    const [result] = await executeToolCalls([sampleCall('x')], tools, options)
    expect(result).toEqual({
      callId: 'call_x',
      name: 'x',
      content: text === '' ? [] : [{ type: 'text', text }],
      isError: false,
    })
  })

  it.each([...refusals, ...endings, ...throws])(
    '$name',
    async ({ tools, call, options, category, message, details }) => {
      const asked = call ?? sampleCall('x')
      const results = await executeToolCalls([asked], tools, options)
      expect(results).toHaveLength(1)
      const [result] = results
      if (result === undefined) throw new Error('no result')
      expect(result).toMatchObject({ callId: asked.id, name: asked.name, isError: true, error: { category, message } })
      const text = `Tool execution failed (${category}): ${message}${details === undefined ? '' : `\nDetails: ${details}`}`
      expect(textOf(result.content)).toBe(text)
      expect(errorText(result)).toBe(`Error: ${message}`)
    },
  )

  it('an unknown tool is a warning in the log', async () => {
    const warnings: unknown[] = []
    const log = { warn: (message: string, detail?: unknown) => void warnings.push([message, detail]) }
    await executeToolCalls([sampleCall('x')], [sampleTool('a', () => 1)], { log })
    expect(warnings).toEqual([['Unknown tool "x"', { callId: 'call_x', knownTools: ['a'] }]])
  })

  it('a tool is not run when it is denied, paused, broken or invalid', async () => {
    let runs = 0
    const tools = one(() => (runs += 1))
    const invalid = one(() => (runs += 1), { checkInput: () => ({ ok: false, issues }) })
    await executeToolCalls([sampleCall('x')], tools, { approve: () => ({ deny: 'no' }) })
    await executeToolCalls([sampleCall('x')], tools, { approve: () => 'pause' })
    await executeToolCalls([sampleBroken('x', 'truncated', '{}')], tools, { repair: true })
    await executeToolCalls([sampleCall('x')], invalid)
    expect(runs).toBe(0)
  })

  it('repair is opt-in, and reported on the result, in the log and in the audit', async () => {
    const warnings: string[] = []
    const records: AuditRecord[] = []
    const executor = new ToolExecutor([sampleTool('x', (input) => input)], {
      log: { warn: (message) => void warnings.push(message) },
      audit: (record) => void records.push(record),
    })
    const broken = sampleBroken('x', 'malformed', "{city: 'Paris'}")
    const [plain] = await executor.execute([broken])
    expect(plain?.error?.category).toBe('invalid_arguments')
    const [repaired] = await executor.execute([broken], { repair: true })
    expect(repaired).toMatchObject({ isError: false, content: [{ type: 'text', text: '{"city":"Paris"}' }] })
    expect(repaired?.artifacts?.repair).toMatchObject({
      note: expect.any(String),
      arguments: expect.stringContaining('Paris'),
    })
    expect(warnings).toEqual(['Arguments of "x" were repaired'])
    expect(records.map((record) => record.repaired)).toEqual([false, true])
  })
})
