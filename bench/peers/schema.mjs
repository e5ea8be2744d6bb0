// G. schema conversion (100 fresh zod tools -> JSON schema) and validation of 10,000 argument objects, per library path.
// Rounds are interleaved in rotating order; each ratio is to zod in the same round, where the compilers and the collector of the runtime
// were about as busy.
// A further contender: EXTRA_SCHEMA=path to a module exporting { name: { convert?(tools), validator?(tool) -> (args) => any } }.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Ajv from 'ajv'
import { z } from 'zod'
import { stats } from './lib/pool.mjs'
import { makeTools, sampleArgs } from './lib/tools.mjs'

export default async function schema({ quick }) {
  const { asSchema } = await import('ai')
  const { zodFunction } = await import('openai/helpers/zod')
  const { betaZodTool } = await import('@anthropic-ai/sdk/helpers/beta/zod')
  const { convertToOpenAITool } = await import('@langchain/core/utils/function_calling')
  const { tool: lcTool } = await import('@langchain/core/tools')
  const { interopParseAsync } = await import('@langchain/core/utils/types')
  const ts = await import('@tanstack/ai')
  const { toJsonSchema: xs } = await import('xsschema')
  const pi = await import('@mariozechner/pi-ai')
  const lc = (t) => lcTool(async () => '1', { name: t.name, description: t.description, schema: t.zod })
  const C = {
    // What a model is told of a tool is what it takes: zod's conversion of that side costs more than of the other.
    'zod z.toJSONSchema (floor)': {
      convert: (t) => t.map((x) => z.toJSONSchema(x.zod, { io: 'input' })),
      validator: (t) => (a) => t.zod.parse(a),
    },
    'zod z.toJSONSchema, output side (floor)': {
      convert: (t) => t.map((x) => z.toJSONSchema(x.zod)),
      validator: null,
    },
    'ajv compiled (floor, JSON Schema)': {
      convert: null,
      validator: (t) => {
        const v = new Ajv().compile(t.jsonSchema)
        return (a) => {
          if (!v(a)) throw new Error('x')
        }
      },
    },
    'vercel-ai asSchema': {
      convert: (t) => Promise.all(t.map((x) => asSchema(x.zod).jsonSchema)),
      validator: (t) => {
        const s = asSchema(t.zod)
        return (a) => s.validate(a)
      },
    },
    'openai zodFunction': {
      convert: (t) => t.map((x) => zodFunction({ name: x.name, parameters: x.zod })),
      validator: (t) => {
        const f = zodFunction({ name: t.name, parameters: t.zod })
        return (a) => f.$parseRaw(a.json)
      },
      raw: true,
    },
    'anthropic betaZodTool': {
      convert: (t) =>
        t.map((x) => betaZodTool({ name: x.name, description: x.description, inputSchema: x.zod, run: () => '' })),
      validator: (t) => {
        const f = betaZodTool({ name: t.name, description: 'd', inputSchema: t.zod, run: () => '' })
        return (a) => f.parse(a)
      },
    },
    'langchain convertToOpenAITool': {
      prep: (t) => t.map(lc),
      convert: (t) => t.map((x) => convertToOpenAITool(x)),
      validator: (t) => (a) => interopParseAsync(t.zod, a),
    },
    'langchain tool.invoke': {
      convert: null,
      validator: (t) => {
        const x = lc(t)
        return (a) => x.invoke(a)
      },
    },
    'tanstack convertSchemaToJsonSchema': {
      convert: (t) => t.map((x) => ts.convertSchemaToJsonSchema(x.zod)),
      validator: (t) => (a) => ts.parseWithStandardSchema(t.zod, a),
    },
    'xsai xsschema': { convert: (t) => Promise.all(t.map((x) => xs(x.zod))), validator: null },
    'pi-ai validateToolArguments (JSON Schema)': {
      convert: null,
      validator: (t) => {
        const tool = { name: t.name, description: 'd', parameters: t.jsonSchema }
        return (a) => pi.validateToolArguments(tool, { type: 'toolCall', id: '1', name: t.name, arguments: a })
      },
    },
  }
  // What Node loads of the package, as in the other scenarios.
  const { tool } = await import('../../dist/node/index.js')
  const made = (input) => (x) => tool({ name: x.name, description: x.description, input: x[input], execute: () => '' })
  const converted = (input) => (tools) => tools.map((x) => made(input)(x).spec.inputSchema)
  // As the executor checks: the arguments were parsed for this check alone.
  const checker = (input) => (t) => {
    const own = made(input)(t)
    return (a) => own.checkInput(a, { fresh: true })
  }
  const again = (input) => ({
    prep: (tools) => {
      converted(input)(tools)
      return tools
    },
    convert: converted(input),
    validator: null,
  })
  C['toolwire (zod)'] = { convert: converted('zod'), validator: checker('zod') }
  C['toolwire (zod), the same again'] = again('zod')
  C['toolwire (JSON Schema), the same again'] = again('jsonSchema')
  C['toolwire (JSON Schema)'] = { convert: converted('jsonSchema'), validator: checker('jsonSchema') }
  if (process.env.EXTRA_SCHEMA)
    Object.assign(C, (await import(pathToFileURL(resolve(process.env.EXTRA_SCHEMA)).href)).default)
  const conversion = await measure(pick(C, 'convert'), quick ? 5 : 400, conversions)
  const validation = await measure(pick(C, 'validator'), quick ? 30 : 160, validations)
  return Object.fromEntries(
    Object.keys(C).map((name) => {
      const [convert, validate] = [conversion.get(name), validation.get(name)]
      return [
        name,
        {
          convertUsPerTool: convert?.us ?? null,
          convertRatio: convert?.ratio ?? null,
          validateUsPerArg: validate?.us ?? null,
          validateRatio: validate?.ratio ?? null,
        },
      ]
    }),
  )
}

const floorName = 'zod z.toJSONSchema (floor)'
const toolCount = 100
const argumentCount = 10_000
const args = Array.from({ length: argumentCount }, () => structuredClone(sampleArgs))
const texts = args.map((value) => ({ json: JSON.stringify(value) }))

function pick(contenders, part) {
  return Object.entries(contenders).filter(([, contender]) => contender[part])
}

/** What is measured: `ready` makes everything anew before a round, `once` gives the CPU time of one piece in µs. */
const conversions = {
  ready: ({ prep }) => (prep ? prep(makeTools(toolCount)) : makeTools(toolCount)),
  async once({ convert }, tools) {
    const before = process.cpuUsage()
    await convert(tools)
    return spent(before) / toolCount
  },
}

const validations = {
  ready: ({ validator }) => validator(makeTools(1)[0]),
  async once({ raw }, validate) {
    const values = raw ? texts : args
    const before = process.cpuUsage()
    for (let index = 0; index < argumentCount; index++) {
      const found = validate(values[index])
      if (found && typeof found.then === 'function') await found
    }
    return spent(before) / argumentCount
  },
}

function spent(before) {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Everybody is given about as long: who takes so many times as long as the floor takes part in fewer rounds. */
const longest = 3

/** By name: the figures of all rounds a contender took part in, and the ratios to the floor of the same round. */
async function measure(contenders, rounds, { ready, once }) {
  const found = new Map(contenders.map(([name]) => [name, { figures: [], ratios: [] }]))
  let every = new Map()
  // The first rounds warm up; there everybody takes part.
  for (let round = -2; round < rounds; round++) {
    const turns = contenders.map((_, turn) => contenders[(turn + round + 2) % contenders.length])
    const players = turns.filter(([name]) => round < 0 || round % every.get(name) === 0)
    // Before the round, so that nobody pays for what making the tools leaves to be collected.
    const things = new Map(players.map(([name, contender]) => [name, ready(contender)]))
    const costs = new Map()
    for (const [name, contender] of players) costs.set(name, await once(contender, things.get(name)))
    const floor = costs.get(floorName)
    if (round < 0) every = new Map([...costs].map(([name, cost]) => [name, Math.ceil(cost / floor / longest)]))
    else {
      for (const [name, cost] of costs) {
        found.get(name).figures.push(cost)
        found.get(name).ratios.push(cost / floor)
      }
    }
  }
  return new Map([...found].map(([name, { figures, ratios }]) => [name, { us: stats(figures), ratio: stats(ratios) }]))
}
