// The tests of each folder of `src`: those of its own folder and those that are about it. Tests that start the built package, read
// recorded traffic that is not part of the project, measure, or need a database are never run per mutant.

const wire = ['test/wire', 'test/matrix', 'test/streams', 'test/frames', 'test/laws', 'test/sdk', 'test/validators']

const areas = {
  'src/cli': ['test/cli', 'test/offline', 'test/mcp', 'test/gateway'],
  'src/conversation': ['test/conversation', 'test/loop', 'test/model', 'test/matrix', 'test/laws'],
  'src/dbos': ['test/dbos'],
  'src/durable': ['test/durable', 'test/loop', 'test/cli/runs'],
  'src/errors': ['test/errors', 'test/wire', 'test/model', 'test/loop', 'test/tools'],
  'src/frames': ['test/frames', 'test/streams', 'test/wire'],
  'src/gateway': ['test/gateway', 'test/otel'],
  'src/generate': ['test/generate', 'test/model', 'test/matrix'],
  'src/json': ['test/json', 'test/frames', 'test/wire'],
  'src/langchain': ['test/langchain', 'test/peers'],
  'src/loop': ['test/loop', 'test/durable', 'test/offline', 'test/cli/run', 'test/cli/approval'],
  'src/mcp': ['test/mcp'],
  'src/model': ['test/model', 'test/loop', 'test/generate', 'test/matrix', 'test/cli/models', 'test/cli/probe'],
  'src/offline': ['test/offline', 'test/cli'],
  'src/otel': ['test/otel'],
  'src/restate': ['test/restate'],
  'src/schema': ['test/schema', 'test/laws/dialects', 'test/matrix', 'test/tools'],
  'src/signature': ['test/signature'],
  'src/testing': [
    'test/testing',
    'test/laws/dialects',
    'test/schema/strict-ready',
    'test/gateway/same-wire',
    'test/peers',
    'test/sdk',
  ],
  'src/tools': ['test/tools', 'test/loop'],
  'src/transport': ['test/transport', 'test/model'],
  'src/wire': [...wire, 'test/model'],
  'src/wire/anthropic': wire,
  'src/wire/gemini': wire,
  'src/wire/ollama': wire,
  'src/wire/openai-chat': wire,
  'src/wire/openai-responses': wire,
}

const neverRun = /^test\/(corpus|engines|fuzz|growth|lab|layers|package)\/|dialects-corpus|\/pace\./

/** The folder that a source belongs to in the table. */
export function findFolder(file) {
  const [, folder, wireName, rest] = file.split('/')
  return folder === 'wire' && rest !== undefined
    ? `src/wire/${wireName}`
    : folder.endsWith('.ts')
      ? 'src'
      : `src/${folder}`
}

/** Whether a test file is run for mutants at all. */
export const isRunnable = (test) => !neverRun.test(test)

/** Whether a test file is one of the tests of a folder. */
export const isInArea = (folder, test) => (areas[folder] ?? ['test/']).some((prefix) => test.startsWith(prefix))
