// Durable runs on the command line, as processes, against a provider on the loopback.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileJournal } from '../../src/durable/index.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import type { ProviderScript } from '../../src/testing/provider-script.js'
import { type ProviderServer, providerServer } from '../../src/testing/provider-server.js'
import { editLease } from '../durable/edited.js'
import { type CommandOptions, type Ended, temporaryFolder, toolwire } from './command.js'

interface Place {
  readonly folder: string
  readonly server: ProviderServer
  /** `toolwire run --durable` with the tools of the folder. */
  start(...args: readonly string[]): Promise<Ended>
  /** `toolwire runs`. */
  runs(...args: readonly string[]): Promise<Ended>
}

const tools = `import { appendFileSync, existsSync } from 'node:fs'
const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
export default [
  { name: 'remove', description: 'Removes a file for good', input, capabilities: ['filesystem'],
    execute: ({ path }) => { appendFileSync('effects', 'remove ' + path + '\\n'); return 'removed ' + path } },
  { name: 'crash', description: 'Takes the process with it', input,
    execute: ({ path }) => { appendFileSync('effects', 'crash ' + path + '\\n'); process.kill(process.pid, 'SIGKILL') } },
]`

async function placeOf(script: ProviderScript): Promise<Place> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tools.mjs'), tools)
  const server = await providerServer({ script, strict: true })
  onTestFinished(() => server.close())
  const options: CommandOptions = { cwd: folder, env: { OPENAI_API_KEY: 'sk-test-0123456789abcdef' } }
  const model = ['--model', 'openai:scripted', '--base-url', server.url, '--tools', './tools.mjs']
  return {
    folder,
    server,
    start: (...args) => toolwire(['run', '--durable', ...model, ...args], options),
    runs: (...args) => toolwire(['runs', ...args], options),
  }
}

const idOf = ({ stderr }: Ended): string => /^run: (\S+), kept in \.toolwire\/runs$/m.exec(stderr)?.[1] ?? ''
const effectsOf = (folder: string): string => readFileSync(join(folder, 'effects'), 'utf8')
const calling = (name: string): { readonly calls: readonly object[] } => ({
  calls: [{ name, id: 'call_1', args: { path: 'a.txt' } }],
})
const twoAnswers =
  (name: string, last: string): ProviderScript =>
  ({ messages }) =>
    messages.some((message) => message.role === 'assistant') ? last : (calling(name) as never)

describe('a durable run', () => {
  test('is listed, shown, exported, and gives its answer again without asking anybody', async () => {
    const { server, start, runs } = await placeOf(() => 'Hello there.')
    const started = await start('hi')
    expect([started.code, started.stdout]).toEqual([0, 'Hello there.\n'])
    const id = idOf(started)
    expect((await runs('list')).stdout).toMatch(new RegExp(`^${id} +done +2 steps  \\d{4}-\\d\\d-\\d\\d [\\d:]{8}\\n$`))
    expect(JSON.parse((await runs('list', '--json')).stdout)).toMatchObject({ runId: id, status: 'done', steps: 2 })
    expect((await runs('show', id)).stdout).toContain('user: hi\nassistant: Hello there.\n')
    expect(JSON.parse((await runs('show', id, '--json')).stdout)).toMatchObject({
      note: { command: 'toolwire run', flags: { model: 'openai:scripted' } },
      recorded: [{ name: 'start' }, { name: 'turn/1/model' }],
    })
    expect(JSON.parse((await runs('export', id)).stdout)).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
    const again = await runs('resume', id)
    expect([again.code, again.stdout]).toEqual([0, 'Hello there.\n'])
    expect(server.requests).toHaveLength(1)
    expect(await runs('cancel', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('is done') })
  })

  test('goes on after its process was killed; the call that was cut off is not run again, and told', async () => {
    const { folder, server, start, runs } = await placeOf(twoAnswers('crash', 'I cannot know.'))
    const killed = await start('go')
    expect(killed.code).toBeNull()
    const id = idOf(killed)
    expect((await runs('list')).stdout).toContain(`${id}  interrupted`)
    const resumed = await runs('resume', id)
    expect([resumed.code, resumed.stdout]).toEqual([0, 'I cannot know.\n'])
    expect(resumed.stderr).toContain('interrupted after 3 steps')
    expect(resumed.stderr).toContain('crash (call_1) is in doubt')
    expect(effectsOf(folder)).toBe('crash a.txt\n')
    expect(server.requests).toHaveLength(2)
    expect((await runs('show', id)).stdout).toContain('in doubt: call_1\n')
    expect((await runs('list')).stdout).toContain(`${id}  done`)
  })

  test('whose process may live elsewhere is waited for, and goes on when nothing is heard of that process', async () => {
    const { folder, start, runs } = await placeOf(() => 'Hello there.')
    const id = idOf(await start('hi'))
    await editLease(join(folder, '.toolwire/runs'), id, { host: 'elsewhere', pid: 17 }, { leaseMs: 300 })
    const resumed = await runs('resume', id)
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Hello there.\n'])
    expect(resumed.stderr).toContain('the run was open in process 17 on elsewhere; waiting up to 1 s')
  })

  test('is checked, and salvaged when it is damaged: what it may have done is in doubt, not repeated', async () => {
    const { folder, start, runs } = await placeOf(({ messages }) => {
      const answers = messages.filter((message) => message.role === 'assistant').length
      return answers < 2
        ? { calls: [{ name: 'remove', id: `call_${answers + 1}`, args: { path: `${answers}.txt` } }] }
        : 'Both are gone.'
    })
    const id = idOf(await start('--approve', 'all', 'go'))
    expect(await runs('check')).toMatchObject({ code: 0, stdout: expect.stringContaining('10 records') })
    const path = join(folder, '.toolwire/runs', `${id}.jsonl`)
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, [...lines.slice(0, 5), '\0'.repeat(300)].join('\n'))
    const checked = await runs('check', id)
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('damaged at line 6: it contains NUL')])
    const refused = await runs('resume', id)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is damaged at line 6')])
    const salvaged = await runs('check', id, '--salvage')
    expect(salvaged).toMatchObject({ code: 0, stdout: `${id}: kept 5 records before line 6\n` })
    expect(salvaged.stderr).toContain('calls are in doubt')
    expect((await runs('check', id)).code).toBe(0)
    const resumed = await runs('resume', id)
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Both are gone.\n'])
    expect(resumed.stderr).toContain('remove (call_2) is in doubt')
    expect(effectsOf(folder)).toBe('remove 0.txt\nremove 1.txt\n')
  })

  test('waits for approval without a terminal, and goes on with an answer, which counts once', async () => {
    const { folder, start, runs } = await placeOf(twoAnswers('remove', 'Gone.'))
    const waiting = await start('go')
    expect(waiting.code).toBe(3)
    const id = idOf(waiting)
    expect(waiting.stderr).toContain(`go on with: toolwire runs resume ${id} --allow call_1\n`)
    expect((await runs('show', id)).stdout).toMatch(/waits: call_1: remove\(\{"path":"a\.txt"\}\) digest \w+/)
    expect((await runs('resume', id)).code).toBe(3)
    const allowed = await runs('resume', id, '--allow', 'call_1')
    expect([allowed.code, allowed.stdout]).toEqual([0, 'Gone.\n'])
    const replayed = await runs('resume', id, '--allow', 'call_1')
    expect([replayed.code, replayed.stderr]).toEqual([1, expect.stringContaining('was used before')])
    expect(effectsOf(folder)).toBe('remove a.txt\n')
  })

  test('a denied call is told to the model with the reason', async () => {
    const { server, start, runs } = await placeOf(twoAnswers('remove', 'Kept.'))
    const id = idOf(await start('go'))
    const denied = await runs('resume', id, '--deny', 'call_1=we need it')
    expect([denied.code, denied.stdout]).toEqual([0, 'Kept.\n'])
    expect(JSON.stringify(server.requests.at(-1)?.request)).toContain('we need it')
  })

  test('cancelled, it cannot go on', async () => {
    const { start, runs } = await placeOf(twoAnswers('remove', 'Gone.'))
    const id = idOf(await start('go'))
    expect((await runs('cancel', id)).code).toBe(0)
    expect((await runs('list')).stdout).toContain('cancelled')
    const resumed = await runs('resume', id, '--allow', 'call_1')
    expect([resumed.code, resumed.stderr]).toEqual([1, expect.stringContaining('was cancelled')])
  })
})

describe('misuse', () => {
  test('an id that is none, a denial without a reason, and a run of another program are told', async () => {
    const { folder, runs } = await placeOf([])
    expect(await runs('list')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no runs in') })
    expect(await runs('show', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no run "x"') })
    const journal = fileJournal(join(folder, '.toolwire/runs'))
    await run({ model: scriptedModel(['Hi.']), prompt: 'go', journal, runId: 'own' })
    const own = await runs('resume', 'own')
    expect([own.code, own.stderr]).toEqual([2, expect.stringContaining('was not started by toolwire run')])
    expect(await runs('check', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no run "x"') })
    expect(await runs('check', '--salvage')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the id of one'),
    })
    const intact = await runs('check', 'own', '--salvage')
    expect([intact.code, intact.stderr]).toEqual([2, expect.stringContaining('is not damaged')])
    const denial = await runs('resume', 'own', '--deny', 'call_1')
    expect([denial.code, denial.stderr]).toEqual([2, expect.stringContaining('--deny takes CALLID=reason')])
  })
})
