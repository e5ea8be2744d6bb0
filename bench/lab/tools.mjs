// The tools of the laboratory, for every library: the names, descriptions and fields of test/lab/laboratory.ts, with a schema in
// zod for the libraries whose documentation uses zod, and the same as JSON Schema.
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

const nothing = { zod: z.object({}), jsonSchema: { type: 'object', properties: {} } }

/** The tools; what their handlers are given goes into `ran`, in the order they begin. */
export function toolsFor(ran) {
  return [
    {
      name: 'add',
      description: 'Adds two whole numbers',
      zod: z.object({ a: z.number().int(), b: z.number().int() }),
      jsonSchema: {
        type: 'object',
        properties: {
          a: { type: 'integer', description: 'The first number' },
          b: { type: 'integer', description: 'The second number' },
        },
        required: ['a', 'b'],
      },
      execute: ({ a, b }) => {
        ran.push({ a: told(a), b: told(b) })
        return String(BigInt(a) + BigInt(b))
      },
    },
    {
      name: 'now',
      description: 'Says what time it is now',
      ...nothing,
      execute: () => {
        ran.push('now')
        return 'noon'
      },
    },
    {
      name: 'write_file',
      description: 'Writes content to a file',
      zod: z.object({ path: z.string(), content: z.string().optional() }),
      jsonSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where to write' },
          content: { type: 'string', description: 'What to write' },
        },
        required: ['path'],
      },
      execute: ({ path, content }) => {
        ran.push({ path, content })
        return 'written'
      },
    },
    {
      name: 'login',
      description: 'Fails and tells too much',
      ...nothing,
      execute: () => {
        ran.push('login')
        throw new Error('cannot reach postgres://admin:hunter22@db.example/x, password=hunter22')
      },
    },
    {
      name: 'hang',
      description: 'Never gives an answer at all',
      ...nothing,
      timeoutMs: 300,
      execute: () => new Promise(() => {}),
    },
    {
      name: 'rest',
      description: 'Takes its time, then answers',
      zod: z.object({ ms: z.number().int() }),
      jsonSchema: {
        type: 'object',
        properties: { ms: { type: 'integer', description: 'For how long' } },
        required: ['ms'],
      },
      execute: async ({ ms }) => {
        ran.push(`begin ${ms}`)
        await wait(Number(ms))
        ran.push(`end ${ms}`)
        return `rested ${ms}`
      },
    },
  ]
}

/** A number by its type and its digits, so that text, a rounded number and an exact one are told apart in JSON. */
function told(value) {
  return `${typeof value === 'bigint' ? 'number' : typeof value} ${typeof value === 'number' ? BigInt(value) : value}`
}
