// F. cold start, install size, bundle size. A further contender: add a row, or EXTRA_COLD=path to a module exporting rows.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { median, startServer, stats } from './lib/pool.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const deps = JSON.parse(readFileSync(join(here, 'package.json'))).dependencies
const SCHEMA = `{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }`
const rows = [
  {
    name: 'raw-fetch (openai)',
    install: [],
    imports: '',
    program: `const r = await fetch('https://x/v1/chat/completions', { method: 'POST', headers: { authorization: 'Bearer x', 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'w', description: 'd', parameters: ${SCHEMA} } }] }) }); const m = (await r.json()).choices[0].message; for (const c of m.tool_calls ?? []) console.log(c.function.name, JSON.parse(c.function.arguments));`,
  },
  {
    name: 'raw-http (openai)',
    install: [],
    imports: `import http from 'node:http';`,
    adapter: ['raw-http', 'raw-http', 'openai'],
    program: `http.request({ host: 'x', path: '/v1/chat/completions', method: 'POST', headers: { authorization: 'Bearer x', 'content-type': 'application/json' } }, (r) => { let b = ''; r.setEncoding('utf8').on('data', (d) => b += d).on('end', () => { for (const c of JSON.parse(b).choices[0].message.tool_calls ?? []) console.log(c.function.name, JSON.parse(c.function.arguments)); }); }).end(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'w', description: 'd', parameters: ${SCHEMA} } }] }));`,
  },
  {
    name: 'toolwire',
    install: [],
    adapter: ['toolwire', 'toolwire', 'openai'],
    imports: `import { run, openai, tool } from 'toolwire';`,
    program: `const r = await run({ model: openai('m'), prompt: 'hi', tools: [tool({ name: 'w', description: 'Current weather', input: ${SCHEMA}, execute: () => 1 })] }); console.log(r.text);`,
    packed: true,
  },
  {
    name: 'openai-sdk',
    install: ['openai'],
    adapter: ['openai-sdk', 'openai-sdk', 'openai'],
    imports: `import OpenAI from 'openai';`,
    program: `const r = await new OpenAI().chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'w', description: 'd', parameters: ${SCHEMA} } }] }); console.log(r.choices[0].message);`,
  },
  {
    name: 'anthropic-sdk',
    install: ['@anthropic-ai/sdk'],
    adapter: ['anthropic-sdk', 'anthropic-sdk', 'anthropic'],
    imports: `import Anthropic from '@anthropic-ai/sdk';`,
    program: `const r = await new Anthropic().messages.create({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'w', description: 'd', input_schema: ${SCHEMA} }] }); console.log(r.content);`,
  },
  {
    name: 'ollama-sdk',
    install: ['ollama'],
    adapter: ['ollama-sdk', 'ollama-sdk', 'ollama'],
    imports: `import { Ollama } from 'ollama';`,
    program: `const r = await new Ollama().chat({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'w', description: 'd', parameters: ${SCHEMA} } }] }); console.log(r.message);`,
  },
  {
    name: 'google-genai',
    install: ['@google/genai'],
    adapter: ['google-genai', 'google-genai', 'gemini'],
    imports: `import { GoogleGenAI } from '@google/genai';`,
    program: `const r = await new GoogleGenAI({ apiKey: 'x' }).models.generateContent({ model: 'm', contents: 'hi', config: { tools: [{ functionDeclarations: [{ name: 'w', description: 'd', parametersJsonSchema: ${SCHEMA} }] }] } }); console.log(r.functionCalls);`,
  },
  {
    name: 'vercel-ai',
    install: ['ai', '@ai-sdk/openai'],
    adapter: ['vercel-ai', 'vercel-ai', 'openai'],
    imports: `import { generateText, tool, jsonSchema } from 'ai'; import { createOpenAI } from '@ai-sdk/openai';`,
    program: `const r = await generateText({ model: createOpenAI({}).chat('m'), prompt: 'hi', tools: { w: tool({ description: 'd', inputSchema: jsonSchema(${SCHEMA}), execute: async () => 1 }) } }); console.log(r.toolCalls);`,
  },
  {
    name: 'langchain',
    install: ['@langchain/core', '@langchain/openai'],
    adapter: ['langchain', 'langchain', 'openai'],
    imports: `import { ChatOpenAI } from '@langchain/openai'; import { tool } from '@langchain/core/tools'; import { HumanMessage, ToolMessage } from '@langchain/core/messages';`,
    program: `const r = await new ChatOpenAI({ model: 'm' }).bindTools([tool(async () => '1', { name: 'w', description: 'd', schema: ${SCHEMA} })]).invoke([new HumanMessage('hi')]); console.log(r.tool_calls, ToolMessage);`,
  },
  {
    name: 'pi-ai',
    install: ['@mariozechner/pi-ai'],
    adapter: ['pi-ai', 'pi-ai', 'openai'],
    imports: `import { complete, getModel } from '@mariozechner/pi-ai';`,
    program: `const r = await complete(getModel('openai', 'gpt-4o'), { messages: [{ role: 'user', content: 'hi', timestamp: 1 }], tools: [{ name: 'w', description: 'd', parameters: ${SCHEMA} }] }); console.log(r.content);`,
  },
  {
    name: 'ax',
    install: ['@ax-llm/ax'],
    adapter: ['ax', 'ax', 'openai'],
    imports: `import { ai } from '@ax-llm/ax';`,
    program: `const r = await ai({ name: 'openai', apiKey: 'x' }).chat({ chatPrompt: [{ role: 'user', content: 'hi' }], functions: [{ name: 'w', description: 'd', parameters: ${SCHEMA} }] }, { stream: false }); console.log(r.results);`,
  },
  {
    name: 'tanstack-ai',
    install: ['@tanstack/ai', '@tanstack/ai-openai'],
    adapter: ['tanstack-ai', 'tanstack-ai', 'openai'],
    imports: `import { chat, toolDefinition } from '@tanstack/ai'; import { openaiCompatibleText } from '@tanstack/ai-openai/compatible';`,
    program: `for await (const e of chat({ adapter: openaiCompatibleText('m', { apiKey: 'x', baseURL: 'https://x/v1' }), messages: [{ role: 'user', content: 'hi' }], tools: [toolDefinition({ name: 'w', description: 'd', inputSchema: ${SCHEMA} })] })) console.log(e);`,
  },
  {
    name: 'xsai',
    install: ['xsai'],
    external: ['effect', 'sury', '@valibot/to-json-schema', 'zod-to-json-schema', 'arktype', 'valibot', 'zod'],
    adapter: ['xsai', 'xsai', 'openai'],
    imports: `import { generateText, rawTool } from 'xsai';`,
    program: `const r = await generateText({ apiKey: 'x', baseURL: 'https://x/v1/', model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [rawTool({ name: 'w', description: 'd', parameters: ${SCHEMA}, execute: () => '1' })] }); console.log(r.messages);`,
  },
]

function du(p) {
  let n = 0,
    files = 0
  const walk = (d) => {
    for (const e of readdirSync(d)) {
      const f = join(d, e),
        s = lstatSync(f)
      if (s.isDirectory()) walk(f)
      else {
        n += s.size
        files++
      }
    }
  }
  if (existsSync(p)) walk(p)
  return { bytes: n, files }
}

/** toolwire as it would be published, packed into the temporary folder. */
function packedHere() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-pack-'))
  const packed = spawnSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: resolve(here, '../..'),
    encoding: 'utf8',
  })
  return join(folder, packed.stdout.trim().split('\n').at(-1))
}

export default async function cold({ quick }) {
  const all = [...rows]
  if (process.env.EXTRA_COLD) all.push(...(await import(pathToFileURL(resolve(process.env.EXTRA_COLD)).href)).default)
  const out = {}
  const server = await startServer()
  const N = quick ? 5 : 11
  const tmp = mkdtempSync(join(here, '.cold-'))
  try {
    // --- import time and time to the first tool-call reply, fresh process each, interleaved
    const tail = `\nprocess.stdout.write(JSON.stringify({ cpu: process.cpuUsage(), up: performance.now() })); process.exit(0);`
    writeFileSync(join(tmp, 'empty.mjs'), tail)
    const jobs = [{ name: '(empty node)', imp: 'empty.mjs' }]
    for (const [i, r] of all.entries()) {
      const imports = (r.imports ?? '').replace(
        "'toolwire'",
        JSON.stringify(pathToFileURL(resolve(here, '../../dist/node/index.js')).href), // what Node resolves 'toolwire' to
      )
      writeFileSync(join(tmp, `imp${i}.mjs`), imports + tail)
      let first = null
      if (r.adapter || r.name.startsWith('raw-fetch')) {
        const [file, name, wire] = r.adapter ?? ['raw-fetch', 'raw-fetch', 'openai']
        writeFileSync(
          join(tmp, `first${i}.mjs`),
          `console.warn = console.info = () => {}; const m = [(await import(${JSON.stringify(file.includes('/') ? pathToFileURL(resolve(file)).href : `../contenders/${file}.mjs`)})).default].flat().find((c) => c.name === ${JSON.stringify(name)});
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = Array.from({ length: 4 }, (_, i) => ({ name: 'tool_' + i, description: 'd', jsonSchema: schema, execute: async () => 1 }));
const r = await (await m.create(${JSON.stringify(wire)}, { root: ${JSON.stringify(`${server.base}chat4`)}, tools })).chat('hi'); if (r.toolCalls.length !== 4) throw new Error('bad');` +
            tail,
        )
        first = `first${i}.mjs`
      }
      jobs.push({ name: r.name, imp: `imp${i}.mjs`, first })
    }
    // the server lives in another process, so a synchronous spawn here does not block it
    const runOne = (f) => {
      const p = spawnSync(process.execPath, [join(tmp, f)], {
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: 'production' },
      })
      let j = null
      try {
        j = JSON.parse(p.stdout.slice(p.stdout.lastIndexOf('{"cpu"')))
      } catch {
        return { err: p.stderr.slice(-300) }
      }
      return { wall: j.up, cpu: (j.cpu.user + j.cpu.system) / 1000 }
    } // wall = since process start, exit excluded
    const acc = jobs.map(() => ({ i: [], ic: [], f: [], fc: [], err: null }))
    for (let n = 0; n < N; n++)
      for (let k = 0; k < jobs.length; k++) {
        const j = (k + n) % jobs.length,
          a = acc[j]
        const r = runOne(jobs[j].imp)
        if (r.err) a.err = r.err
        else {
          a.i.push(r.wall)
          a.ic.push(r.cpu)
        }
        if (jobs[j].first) {
          const q = runOne(jobs[j].first)
          if (q.err) a.err = q.err
          else {
            a.f.push(q.wall)
            a.fc.push(q.cpu)
          }
        }
      }
    const base = median(acc[0].i),
      baseC = median(acc[0].ic)
    out.nodeStartMs = stats(acc[0].i)
    out.nodeStartCpuMs = stats(acc[0].ic)
    jobs.forEach((j, k) => {
      if (!k) return
      const a = acc[k]
      out[j.name] = {
        importMs: median(a.i) - base,
        importMinMs: Math.min(...a.i) - Math.min(...acc[0].i),
        importCpuMs: median(a.ic) - baseC,
        firstMs: a.f.length ? median(a.f) - base : null,
        firstCpuMs: a.fc.length ? median(a.fc) - baseC : null,
        importSpread: [Math.min(...a.i) - base, Math.max(...a.i) - base],
        error: a.err ?? undefined,
      }
    })
    // --- bundle size
    for (const r of all) {
      try {
        const b = await build({
          stdin: { contents: `${r.imports}\n${r.program}`, resolveDir: here, loader: 'js' },
          bundle: true,
          minify: true,
          format: 'esm',
          platform: 'node',
          target: 'node20',
          external: r.external ?? [],
          alias: { toolwire: resolve(here, '../../dist/index.js') },
          write: false,
          logLevel: 'silent',
          metafile: true,
        })
        const t = b.outputFiles[0].contents
        out[r.name].bundleMin = t.length
        out[r.name].bundleGz = gzipSync(t, { level: 9 }).length
        out[r.name].bundleModules = Object.keys(b.metafile.inputs).length
      } catch (e) {
        out[r.name].bundleError = String(e.message).slice(0, 200)
      }
    }
  } finally {
    rmSync(tmp, { recursive: true, force: true })
    server.stop()
  }
  // --- install size (needs the package registry; skipped with NO_INSTALL=1)
  if (!process.env.NO_INSTALL)
    for (const r of all) {
      if (!r.install.length && !r.packed) {
        out[r.name].installBytes = 0
        out[r.name].packages = 0
        continue
      }
      const d = mkdtempSync(join(tmpdir(), 'isz-'))
      writeFileSync(join(d, 'package.json'), '{"private":true}')
      const p = spawnSync(
        'npm',
        [
          'install',
          '--no-audit',
          '--no-fund',
          '--ignore-scripts',
          '--loglevel=error',
          ...(r.packed ? [packedHere()] : r.install.map((x) => (deps[x] ? `${x}@${deps[x]}` : x))),
        ],
        { cwd: d, encoding: 'utf8' },
      )
      if (p.status === 0) {
        const s = du(join(d, 'node_modules'))
        out[r.name].installBytes = s.bytes
        out[r.name].installFiles = s.files
        out[r.name].packages = Object.keys(
          JSON.parse(readFileSync(join(d, 'node_modules/.package-lock.json'))).packages,
        ).length
      } else out[r.name].installError = p.stderr.slice(-300)
      rmSync(d, { recursive: true, force: true })
    }
  return out
}
