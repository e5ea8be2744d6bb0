// A call that somebody must allow: the run stops, its state is stored, and it goes on with the answers, in another process if need be.
import assert from 'node:assert/strict'
import { run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const deleted = []
const remove = tool({
  name: 'delete_file',
  description: 'Deletes a file for good',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  capabilities: ['filesystem'],
  execute: ({ path }) => {
    deleted.push(path)
    return `deleted ${path}`
  },
})
const list = tool({
  name: 'list_files',
  description: 'The files that there are',
  input: { type: 'object', properties: {} },
  execute: () => ['draft.txt', 'thesis.txt'],
})
const model = modelOr(
  scriptedModel([
    { calls: [{ name: 'list_files' }] },
    { calls: ['draft.txt', 'thesis.txt'].map((path) => ({ name: 'delete_file', args: { path } })) },
    'The draft is gone; I was not allowed to delete the thesis.',
  ]),
)
const options = { model, tools: [list, remove], policy: { filesystem: 'ask' } }

// `approve` sees every call as it will run. It may answer 'allow' or { deny: reason } at once; 'pause' leaves it to somebody else.
const paused = await run({
  ...options,
  approve: (_call, _tool, { asked }) => (asked.length === 0 ? 'allow' : 'pause'),
  prompt: 'Delete all my files.',
})
assert.equal(paused.stop.reason, 'needs_approval')
assert.deepEqual(deleted, [])
const stored = JSON.stringify(paused.state)

// Later: a person sees the arguments and decides. An approval by digest counts for these very arguments, once.
const state = JSON.parse(stored)
const decide = ({ arguments: text, digest }) =>
  JSON.parse(text).path === 'draft.txt' ? { allow: digest } : { deny: 'the user wants to keep it' }
const approvals = Object.fromEntries(state.pending.map((call) => [call.callId, decide(call)]))
for (const { name, arguments: text, callId } of state.pending) {
  console.log(name, text, 'deny' in approvals[callId] ? 'denied' : 'allowed')
}
const result = await run({ ...options, resume: state, approvals })

assert.equal(deleted.includes('thesis.txt'), false)
if (isOffline) assert.deepEqual(deleted, ['draft.txt'])
console.log(result.text)
console.log(`${result.stop.reason} after ${result.turns} turns; deleted: ${deleted.join(', ')}`)
