// The client against answers as the real server gives them.
import { expect, test } from 'vitest'
import { run } from '../../src/loop/run.js'
import { type RestateRuns, restateRuns } from '../../src/restate/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'

interface Asked {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

/** A client, and what it asked. `answer` is what the server says: a status and a body. */
function client(answer: (asked: Asked) => readonly [status: number, body: unknown]): {
  runs: RestateRuns
  asked: Asked[]
} {
  const asked: Asked[] = []
  const server: typeof fetch = async (url, init) => {
    const entry = { method: init?.method ?? '', url: String(url), body: JSON.parse(String(init?.body ?? 'null')) }
    asked.push(entry)
    const [status, body] = answer(entry)
    return new Response(body === '' ? null : JSON.stringify(body), { status })
  }
  const place = { ingress: 'http://in/', admin: 'http://admin', headers: { authorization: 'Bearer t' }, fetch: server }
  return { runs: restateRuns("it's", place), asked }
}

const accepted = { invocationId: 'inv_1', status: 'Accepted' }
const failed = (code: number, message: string) => [code, { code, message, source: 'invocation' }] as const

test('a run is started under its id, as one segment of the path', async () => {
  const { runs, asked } = client(() => [202, accepted])
  const { runId } = await runs.start({ prompt: 'go' }, { runId: 'a/b c' })
  expect([runId, asked]).toEqual([
    'a/b c',
    [{ method: 'POST', url: "http://in/it's/a%2Fb%20c/run/send", body: { prompt: 'go' } }],
  ])
})

test.each(['..', '.', '', '\ud800'])('a run cannot have the id %j, which would be another path', async (runId) => {
  const { runs, asked } = client(() => [202, accepted])
  await expect(runs.start({ prompt: 'go' }, { runId })).rejects.toMatchObject({ code: 'misuse' })
  await expect(runs.get(runId).result()).rejects.toMatchObject({ code: 'misuse' })
  expect(asked).toEqual([])
})

test.each([
  ['cancelled', failed(409, 'Cancelled'), 'aborted', /was cancelled/],
  ['unknown', failed(404, 'not found'), 'not_found', /no run "r"/],
  ['changed', failed(570, 'Journal mismatch'), 'journal_mismatch', /another program/],
  ['misused', [400, { message: 'no call', source: 'invocation', metadata: { code: 'misuse' } }], 'misuse', /no call/],
  ['not served', [404, { message: 'service not found', source: 'ingress' }], 'not_found', /Restate refused .* service/],
] as const)('a run that is %s is told so', async (_, answer, code, message) => {
  await expect(
    client(() => answer)
      .runs.get('r')
      .result(),
  ).rejects.toMatchObject({ code, message })
})

test('a server that is away while it starts anew is asked again', async () => {
  let requests = 0
  const { runs } = client(() => {
    requests += 1
    if (requests === 1) throw new TypeError('fetch failed')
    return requests === 2 ? [503, {}] : [200, { runId: 'r', stop: { reason: 'answer' }, text: 'Hi.' }]
  })
  expect(await runs.get('r').result()).toMatchObject({ text: 'Hi.', stop: { reason: 'answer' } })
})

test('an approval counts once, and for the state that the server has', async () => {
  const pay = tool({ name: 'pay', description: 'Pays something', input: { type: 'object' }, execute: () => 'paid' })
  const model = scriptedModel([{ calls: [{ name: 'pay', id: 'c1', args: { euro: 5 } }] }])
  const waiting = await run({ model, tools: [pay], prompt: 'go', approve: () => 'pause', runId: 'r' })
  let starts = 0
  const { runs, asked } = client(({ url }) => {
    if (url.endsWith('/attach')) return [200, waiting]
    starts += 1
    return [202, { ...accepted, status: starts === 1 ? 'Accepted' : 'PreviouslyAccepted' }]
  })
  const altered = JSON.parse(JSON.stringify(waiting).replaceAll('\\"euro\\":5', '\\"euro\\":5000'))
  await expect(runs.resume(altered, { c1: 'allow' })).rejects.toMatchObject({ code: 'misuse', message: /altered/ })
  await expect(runs.resume(waiting, { c9: 'allow' })).rejects.toMatchObject({ code: 'misuse' })
  expect(starts).toBe(0)
  expect((await runs.resume(waiting, { c1: 'allow' })).runId).toBe('r/resume/1')
  expect(asked.at(-1)?.body).toMatchObject({ resume: { runId: 'r' }, approvals: { c1: 'allow' } })
  await expect(runs.resume(waiting, { c1: 'allow' })).rejects.toMatchObject({ code: 'misuse', message: /used before/ })
})

test('runs are listed, shown and cancelled by queries in which a quote is no way out', async () => {
  const row = {
    id: 'inv_1',
    target_service_key: "o'r",
    status: 'completed',
    completion_result: 'failure',
    completion_failure: '[409] Cancelled',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  const { runs, asked } = client(({ body, url }) => {
    if (url.endsWith('/cancel')) return [409, { message: 'was already completed' }]
    return [
      200,
      { rows: String((body as { query: string }).query).includes('sys_journal') ? [{ name: 'turn/1/model' }] : [row] },
    ]
  })
  const summary = {
    runId: "o'r",
    status: 'completed',
    isSuccess: false,
    failure: '[409] Cancelled',
    createdAt: 1767225600000,
  }
  expect(await runs.list({ limit: 2 })).toEqual([summary])
  expect(await runs.show("o'r")).toEqual({ ...summary, steps: ['turn/1/model'] })
  await expect(runs.cancel("o'r")).rejects.toMatchObject({ code: 'misuse', message: /is done/ })
  const sent = asked.map(({ body }) => (body as { query?: string } | null)?.query ?? '')
  expect(sent[0]).toMatch(/target_service_name = 'it''s' .* limit 2$/)
  expect(sent[1]).toMatch(/target_service_key = 'o''r'$/)
  expect(asked.at(-1)).toMatchObject({ method: 'PATCH', url: 'http://admin/invocations/inv_1/cancel' })
})

test('a refusal of the server is told in its words', async () => {
  const { runs } = client(() => [401, { message: 'who are you' }])
  await expect(runs.start({ prompt: 'go' })).rejects.toMatchObject({ code: 'authentication', message: /who are you/ })
  await expect(client(() => [200, { rows: [] }]).runs.show('x')).rejects.toMatchObject({ code: 'not_found' })
})
