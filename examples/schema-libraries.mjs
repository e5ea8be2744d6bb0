// The same tool with zod, valibot, arktype, JSON Schema, `params` and the builder: the same definition, the same checks.
import assert from 'node:assert/strict'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { params, run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import * as v from 'valibot'
import { z } from 'zod'
import { isOffline, modelOr } from './given-models.mjs'

const description = 'Switches a light on or off'
const rooms = ['hall', 'kitchen']
const execute = ({ room, on }) => `${room} ${on ? 'on' : 'off'}`

const tools = [
  tool({ name: 'by_zod', description, execute, input: z.object({ room: z.enum(rooms), on: z.boolean() }) }),
  tool({
    name: 'by_valibot',
    description,
    execute,
    input: toStandardJsonSchema(v.object({ room: v.picklist(rooms), on: v.boolean() })),
  }),
  tool({ name: 'by_arktype', description, execute, input: type({ room: "'hall' | 'kitchen'", on: 'boolean' }) }),
  tool({
    name: 'by_json_schema',
    description,
    execute,
    input: {
      type: 'object',
      properties: { room: { enum: rooms }, on: { type: 'boolean' } },
      required: ['room', 'on'],
    },
  }),
  tool({
    name: 'by_params',
    description,
    execute,
    input: params.object({ room: params.string({ enum: rooms }), on: params.boolean() }),
  }),
  tool
    .build('by_builder')
    .describe(description)
    .param('room', 'string', { enum: rooms })
    .param('on', 'boolean')
    .execute(execute),
]

// Each is called rightly and wrongly; what is wrong never reaches the function.
const calls = tools.flatMap(({ name }) => [
  { name, args: { room: 'hall', on: true } },
  { name, args: { room: 'cellar', on: 'yes' } },
])
const model = modelOr(scriptedModel([{ calls }, 'Done.']))
const { messages } = await run({ model, tools, prompt: 'Switch on the light in the hall, with every tool.' })

const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
if (isOffline) assert.equal(results.length, 2 * tools.length)
for (const { name, isError, content, error } of results) {
  console.log(name.padEnd(15), isError ? error.message.replace(/^.*?": /, '') : content[0].text)
  if (isError) assert.equal(error.category, 'invalid_arguments')
  else assert.equal(content[0].text, 'hall on')
}
console.log(`${tools.length} ways, one tool`)
