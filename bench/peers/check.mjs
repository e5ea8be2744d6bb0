// Correctness check of every adapter on every wire before anything is timed.
import { fork } from 'node:child_process'
import { files, loadFile } from './lib/contenders.mjs'
import { bigTool, makeTools } from './lib/tools.mjs'

const srv = fork(new URL('./server.mjs', import.meta.url))
const { port } = await new Promise((r) => srv.once('message', r))
const only = process.argv[2]
const url = (slug) => `http://127.0.0.1:${port}/${slug}`
const within = (p, ms) =>
  Promise.race([p, new Promise((_, no) => setTimeout(() => no(new Error('timeout')), ms).unref())])
let id = 0
for (const f of files()) {
  let list
  try {
    list = await loadFile(f)
  } catch (e) {
    console.log('LOAD FAIL', f, e.message)
    continue
  }
  for (const c of list)
    for (const wire of c.wires) {
      if (only && !`${c.name}/${wire}`.includes(only)) continue
      const row = []
      const step = async (name, fn) => {
        try {
          await within(fn(), 8000)
          row.push(`${name}:ok`)
        } catch (e) {
          row.push(`${name}:FAIL ${String(e?.stack ?? JSON.stringify(e)).slice(0, 400)}`)
        }
      }
      const eq = (a, b, what) => {
        if (a !== b) throw new Error(`${what}: got ${JSON.stringify(a)}, want ${JSON.stringify(b)}`)
      }
      for (const schema of c.zod ? ['json', 'zod'] : ['json']) {
        const tag = schema === 'zod' ? '(zod)' : ''
        if (!c.only) {
          await step(`A${tag}`, async () => {
            const r = await (await c.create(wire, { root: url('chat4'), tools: makeTools(20), schema })).chat('hi')
            eq(r.toolCalls.length, 4, 'calls')
            eq(r.toolCalls[3].args.days, 4, 'args')
            eq(r.toolCalls[2].name, 'tool_2', 'name')
          })
          await step(`B${tag}`, async () => {
            let n = 0
            const r = await (await c.create(wire, { root: url('text-50') })).chatStream('hi', () => n++)
            eq(n, 50, 'deltas')
            eq(r.text.length > 300, true, 'text')
          })
          if (wire === 'openai' || wire === 'anthropic')
            await step(`C${tag}`, async () => {
              const r = await (
                await c.create(wire, { root: url('args-4000-80'), tools: [bigTool()], schema })
              ).chatStream('hi', () => {})
              eq(r.toolCalls.length, 1, 'calls')
              eq(JSON.stringify(r.toolCalls[0].args).length, 4000, 'bytes')
            })
        }
        await step(`D${tag}`, async () => {
          const r = await (
            await c.create(wire, { root: url(`loop-3-c${id++}`), tools: makeTools(4), schema })
          ).toolLoop('hi', 3)
          eq(r.calls, 12, 'calls')
          eq(r.rounds, 3, 'rounds')
          eq(/done/.test(r.text), true, 'text')
        })
      }
      console.log(`${c.name}/${wire}`.padEnd(32), row.join(' '))
    }
}
srv.kill()
process.exit(0)
