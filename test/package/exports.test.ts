// What users can import, pinned: a name appears or goes only together with a change here.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as dbos from '../../src/dbos/index.js'
import * as durable from '../../src/durable/index.js'
import * as gateway from '../../src/gateway/index.js'
import * as gatewayRedis from '../../src/gateway/redis-limiter.js'
import * as root from '../../src/index.js'
import * as langchain from '../../src/langchain/index.js'
import * as mcp from '../../src/mcp/index.js'
import * as otel from '../../src/otel/index.js'
import * as restate from '../../src/restate/index.js'
import * as formats from '../../src/schema/formats/index.js'
import * as testing from '../../src/testing/index.js'
import { root as folder, sourceFiles } from '../layers/source.js'

const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

test('the root door exports these values', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'Conversation',
    'ConversationManager',
    'ToolExecutionError',
    'ToolExecutor',
    'ToolRegistry',
    'ToolwireError',
    'addUsage',
    'anthropic',
    'applyLosses',
    'argsOf',
    'bodyBytes',
    'bundleSchema',
    'chainOfThought',
    'chatAdapter',
    'codecs',
    'compatible',
    'configure',
    'continueWithToolResults',
    'decodeArguments',
    'dialectNames',
    'errorCodes',
    'executeToolCalls',
    'exportTrace',
    'fallback',
    'fold',
    'gemini',
    'generate',
    'growingCalls',
    'importTool',
    'jsonAdapter',
    'listModels',
    'loadProgram',
    'local',
    'mapBack',
    'mapForward',
    'memoryJournal',
    'ollama',
    'openai',
    'openaiResponses',
    'params',
    'partialOf',
    'predict',
    'probe',
    'profileOf',
    'react',
    'repairArguments',
    'restrict',
    'run',
    'rungs',
    'saveProgram',
    'signature',
    'tool',
    'toolCapabilities',
    'toolErrorCategories',
    'toolResult',
    'toolResults',
    'wires',
    'xai',
  ])
})

test('the dbos door exports these values', () => {
  expect(Object.keys(dbos).toSorted()).toEqual(['dbosRuns'])
})

test('the durable door exports these values', () => {
  expect(Object.keys(durable).toSorted()).toEqual([
    'cancelRun',
    'checkRun',
    'checkRuns',
    'fileJournal',
    'listRuns',
    'pruneRuns',
    'readRun',
    'salvageRun',
  ])
})

test('the gateway door exports these values', () => {
  expect(Object.keys(gateway).toSorted()).toEqual([
    'configSchema',
    'createGateway',
    'gatewayState',
    'memoryLimiter',
    'readConfig',
  ])
  expect(Object.keys(gatewayRedis)).toEqual(['redisLimiter'])
})

test('the formats door exports these values', () => {
  expect(Object.keys(formats)).toEqual(['formats'])
})

test('the mcp door exports these values', () => {
  expect(Object.keys(mcp).toSorted()).toEqual(['connectMcp', 'mcpServersOf', 'serveMcp'])
})

test('the testing door exports these values', () => {
  expect(Object.keys(testing).toSorted()).toEqual(['cassette', 'providerServer', 'scriptedModel'])
})

test('the langchain door exports these values', () => {
  expect(Object.keys(langchain).toSorted()).toEqual([
    'AnthropicClient',
    'LangChainClient',
    'OllamaClient',
    'fromLangChain',
    'fromLangChainMessages',
    'fromLangChainTool',
    'toLangChain',
    'toLangChainMessages',
    'toLangChainTool',
  ])
})

test('the otel door exports these values', () => {
  expect(Object.keys(otel)).toEqual(['telemetry'])
})

test('the restate door exports these values', () => {
  expect(Object.keys(restate).toSorted()).toEqual(['restateRuns', 'restateService'])
})

test('an optional peer is imported behind its own door only', () => {
  const doors: readonly (readonly [peer: string, folder: string])[] = [
    ['@dbos-inc/', 'src/dbos/'],
    ['@langchain/', 'src/langchain/'],
    ['@opentelemetry/', 'src/otel/'],
    ['@restatedev/', 'src/restate/'],
  ]
  for (const [peer, own] of doors) {
    const users = sourceFiles().filter((file) => file.imports.some((name) => name.startsWith(peer)))
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((file) => !file.path.startsWith(own)).map((file) => file.path)).toEqual([])
  }
})

test('the doors are these', () => {
  expect(Object.keys(manifest.exports)).toEqual([
    '.',
    './dbos',
    './durable',
    './formats',
    './gateway',
    './gateway/redis',
    './langchain',
    './mcp',
    './otel',
    './restate',
    './testing',
    './schema/toolwire.config.json',
    './package.json',
  ])
})

test('Node loads the few files of each door, a bundler its modules', () => {
  const doors = Object.values(manifest.exports).filter((door) => typeof door === 'object') as Record<string, string>[]
  expect(doors.length).toBeGreaterThan(5)
  for (const door of doors) {
    const file = door.default?.replace(/^\.\/dist\//, '')
    expect(door).toEqual({
      types: `./dist/${file?.replace(/\.js$/, '.d.ts')}`,
      module: `./dist/${file}`,
      node: `./dist/node/${file}`,
      default: `./dist/${file}`,
    })
    expect(Object.keys(door)).toEqual(['types', 'module', 'node', 'default']) // the first that holds is taken
    expect(existsSync(join(folder, `dist/node/${file}`))).toBe(true)
  }
})

test('doors export names one by one', () => {
  const barrels = sourceFiles().filter((file) => /export \* from/.test(file.text))
  expect(barrels.map((file) => file.path)).toEqual([])
})

test('dependencies are pinned exactly and none runs a script at install', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  expect(Object.keys(manifest.scripts).filter((name) => /install|prepare/.test(name))).toEqual([])
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean }>>
  }
  const scripted = Object.entries(lock.packages).filter(
    ([, entry]) => entry.hasInstallScript === true && entry.dev !== true,
  )
  expect(scripted.map(([name]) => name)).toEqual([])
})
