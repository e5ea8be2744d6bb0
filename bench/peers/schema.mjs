// G. schema conversion (100 fresh zod tools -> JSON schema) and validation of 10,000 argument objects, per library path.
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
    'zod z.toJSONSchema (floor)': {
      convert: (t) => t.map((x) => z.toJSONSchema(x.zod)),
      validator: (t) => (a) => t.zod.parse(a),
    },
    // What a model is told of a tool is what it takes, and zod's conversion of that side costs more than of the other.
    'zod z.toJSONSchema, input side (floor)': {
      convert: (t) => t.map((x) => z.toJSONSchema(x.zod, { io: 'input' })),
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
  const { tool } = await import('../../dist/index.js')
  const { takeSchema } = await import('../../dist/schema/intake.js')
  const ours = (input) => (x) =>
    tool({ name: x.name, description: x.description, input: x[input], execute: () => '' }).spec.inputSchema
  const checker = (input) => (t) => {
    const taken = takeSchema(t[input], 'input')
    // As the executor checks: the arguments were parsed for this check alone.
    return (a) => taken.check(a, { fresh: true })
  }
  C['toolwire (zod)'] = { convert: (t) => t.map(ours('zod')), validator: checker('zod') }
  const again = (input) => ({ prep: warmed(input), convert: (t) => t.map(ours(input)), validator: null })
  const warmed = (input) => (t) => {
    t.forEach(ours(input))
    return t
  }
  C['toolwire (zod), the same again'] = again('zod')
  C['toolwire (JSON Schema), the same again'] = again('jsonSchema')
  C['toolwire (JSON Schema)'] = { convert: (t) => t.map(ours('jsonSchema')), validator: checker('jsonSchema') }
  if (process.env.EXTRA_SCHEMA)
    Object.assign(C, (await import(pathToFileURL(resolve(process.env.EXTRA_SCHEMA)).href)).default)
  const R = quick ? 3 : 7,
    V = 10000,
    out = {}
  const fresh = Array.from({ length: V }, () => ({ ...structuredClone(sampleArgs) }))
  const raws = fresh.map((a) => ({ json: JSON.stringify(a) }))
  const acc = Object.fromEntries(Object.keys(C).map((k) => [k, { c: [], v: [] }]))
  for (let r = -1; r < R; r++)
    for (const [k, c] of Object.entries(C)) {
      if (c.convert) {
        let t = makeTools(100)
        if (c.prep) t = c.prep(t)
        globalThis.gc?.()
        const u0 = process.cpuUsage()
        await c.convert(t)
        const u = process.cpuUsage(u0)
        if (r >= 0) acc[k].c.push(u.user + u.system)
      }
      if (c.validator) {
        const v = c.validator(makeTools(1)[0])
        const src = c.raw ? raws : fresh
        globalThis.gc?.()
        const u0 = process.cpuUsage()
        for (let i = 0; i < V; i++) {
          const x = v(src[i])
          if (x && typeof x.then === 'function') await x
        }
        const u = process.cpuUsage(u0)
        if (r >= 0) acc[k].v.push(u.user + u.system)
      }
    }
  for (const [k, a] of Object.entries(acc)) {
    out[k] = {
      convertUsPerTool: a.c.length ? { ...stats(a.c.map((x) => x / 100)) } : null,
      validateUsPerArg: a.v.length ? { ...stats(a.v.map((x) => x / V)) } : null,
    }
  }
  return out
}
