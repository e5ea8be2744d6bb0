// The parts of what the main door reaches, for Node: which modules are read together, and when. The core is read with the door;
// every other part when something of it is first used. By path, the first that fits; what fits none is the core.
// `after` are the parts that are there before this one, so that it need not ask for them at each use; the core always is.
const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']

const parts = [
  { name: 'signature', modules: /^signature\// },
  { name: 'generate', modules: /^generate\// },
  { name: 'dialects', modules: /^schema\/restrict\/(?!dialects|restrict|memory|fitting)/ },
  {
    name: 'checks',
    modules:
      /^schema\/(arrays|automaton|combinators|compile|copy|equality|glance|normalise|numbers|objects|pattern|run|strings|unevaluated|validate|value-checks)/,
  },
  { name: 'imports', modules: /^tools\/(import-tool|params)|^schema\/(dialects|object-root)/ },
  { name: 'text-calls', modules: /^model\/text-calls\// },
  { name: 'probe', modules: /^model\/(probe|listing)|^wire\/listings/ },
  { name: 'digest', modules: /^json\/(sha256|digest)/ },
  { name: 'repair', modules: /^tools\/repair/ },
  { name: 'failures', modules: /^wire\/failure|^json\/redact|^tools\/failure|^transport\/network-error/ },
  { name: 'compressed', modules: /^transport\/node-decoding/ },
  { name: 'serving', modules: /^wire\/(remembered-tools|request-body|routes)/, after: ['call'] },
  { name: 'growing', modules: /^json\/growing|^conversation\/growing-calls/ },
  {
    name: 'streams',
    modules:
      /^frames\/(sse|lines|ndjson|json-array)|^wire\/sse-stream|^json\/changing-text|^model\/(awaitable|batches)/,
  },
  {
    name: 'seldom',
    modules: /^model\/(fallback|continue)|^transport\/fetch|^wire\/media|^conversation\/unfold|^json\/exact/,
  },
  {
    name: 'loop',
    modules:
      /^loop\/|^tools\/(admission|batch|limits|mcp-content|policy|preparation|race|result-size|results)|^conversation\/stored/,
  },
  {
    name: 'call',
    modules:
      /^(model|transport|frames|wire)\/(?!index)[^/]+$|^conversation\/(losses|seal|settled|unicode|fold)|^schema\/restrict\/|^json\/(spans|only-member|known-values)/,
  },
  { name: 'openai-chat-seldom', modules: /^wire\/openai-chat\/(blocks|reasoning|settings-decode)/ },
  // A wire has two: what a client needs of it, and what only a server does.
  ...wires.flatMap((wire) => [
    { name: wire, modules: new RegExp(`^wire/${wire}/`), reachedFrom: `wire/${wire}/client.js`, after: ['call'] },
    { name: `${wire}-server`, modules: new RegExp(`^wire/${wire}/`), after: ['call', wire] },
  ]),
]

const core = { name: 'core', after: [] }

/** The part of a module. `inputs` tells what each module imports. */
export function partOf(path, inputs) {
  const own = path.replace(/^dist\//, '')
  const isReached = (from) => from === undefined || reach(`dist/${from}`, inputs).has(path)
  return parts.find(({ modules, reachedFrom }) => modules.test(own) && isReached(reachedFrom)) ?? core
}

const reaches = new Map()

function reach(from, inputs) {
  const known = reaches.get(from)
  if (known !== undefined) return known
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    for (const { path: imported } of inputs[path]?.imports ?? []) visit(imported)
  }
  visit(from)
  reaches.set(from, found)
  return found
}
