// When two request bodies say the same. Both sides are put through these rules, in this order, before they are compared: a rule
// may only join spellings that the wire reference calls equal. What the user wrote (arguments, schemas, results) is not touched.
import type { Wire } from '../../src/conversation/messages.js'

type Members = { readonly [key: string]: unknown }
export interface Rule {
  readonly name: string
  readonly reason: string
  readonly wires: readonly Wire[]
  /** The object in its common spelling; the same object when the rule does not concern it. `at` is its path of keys. */
  readonly apply: (node: Members, at: string) => Members
}

const all: readonly Wire[] = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini']

/** Members that hold what a user wrote: compared as they are. `input` is one on Anthropic only, `format` on Ollama. */
const written: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'schema',
  'responseSchema',
  'responseJsonSchema',
  'response',
])

export const rules: readonly Rule[] = [
  {
    name: 'snake_case',
    reason: 'Gemini reads both spellings of a member (5.1); we write camelCase',
    wires: ['gemini'],
    apply: (node) => renamed(node, (key) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())),
  },
  {
    name: 'null_is_absent',
    reason: 'a null member says the same as none; SDKs write them for every unset field',
    wires: all,
    apply: (node) => without(node, (_, value) => value === null),
  },
  {
    name: 'empty_says_nothing',
    reason: 'an empty list of tools, names, stop words or annotations and an empty object of settings ask for nothing',
    wires: all,
    apply: (node) => without(node, (key, value) => emptyMembers.has(key) && isEmpty(value)),
  },
  {
    name: 'empty_content',
    reason: 'an empty list of content beside calls or a summary is no content',
    wires: ['openai-chat', 'openai-responses'],
    apply: (node) => without(node, (key, value) => key === 'content' && Array.isArray(value) && value.length === 0),
  },
  {
    name: 'stream_off',
    reason: 'an answer is streamed only when it is asked for',
    wires: ['openai-chat', 'openai-responses', 'anthropic'],
    apply: (node, at) => (at === '' ? { stream: false, ...node } : node),
  },
  {
    name: 'stream_on',
    reason: 'Ollama streams unless told not to (4.1)',
    wires: ['ollama'],
    apply: (node, at) => (at === '' ? { stream: true, ...node } : node),
  },
  {
    name: 'text_alone',
    reason: 'a text and a list of one text block without further members are the same content',
    wires: ['openai-chat', 'openai-responses', 'anthropic'],
    apply: (node) => mapped(node, ['content', 'system', 'output'], (value) => textBlock(value) ?? value),
  },
  {
    name: 'default_type',
    reason: 'the type of a tool, a call or a message is optional where there is only one it can be',
    wires: ['openai-chat', 'openai-responses', 'anthropic'],
    apply: defaultType,
  },
  {
    name: 'easy_input',
    reason: 'on Responses a plain text as input is one user message (2.2)',
    wires: ['openai-responses'],
    apply: (node, at) =>
      at === '' && typeof node.input === 'string'
        ? { ...node, input: [{ type: 'message', role: 'user', content: textBlock(node.input) }] }
        : node,
  },
  {
    name: 'call_index',
    reason: 'index numbers the calls of a streamed answer; in a history the order says it',
    wires: ['openai-chat'],
    apply: (node, at) => (at.endsWith('/tool_calls') ? without(node, (key) => key === 'index') : node),
  },
  {
    name: 'result_name',
    reason: 'Mistral wants the name of the tool on a result; the call with the same id says it too',
    wires: ['openai-chat'],
    apply: (node) => (node.role === 'tool' ? without(node, (key) => key === 'name') : node),
  },
  {
    name: 'no_parameters',
    reason: 'an empty schema and an object without properties are both a function without parameters',
    wires: ['openai-chat'],
    apply: (node) => (isEmpty(node.parameters) ? { ...node, parameters: { type: 'object', properties: {} } } : node),
  },
  {
    name: 'documented_defaults',
    reason: 'is_error false and a direct caller are what their absence means (3.3, 3.4)',
    wires: ['anthropic'],
    apply: (node) =>
      without(node, (key, value) => (key === 'is_error' && value === false) || (key === 'caller' && isDirect(value))),
  },
  {
    name: 'uncallable_tools',
    reason:
      'tools that only the history needs, any of which may not be called, allow as much as no tools (3.3, rejection 7)',
    wires: ['anthropic'],
    apply: (node) => (isUncallable(node) ? without(node, (key) => key === 'tools' || key === 'tool_choice') : node),
  },
  {
    name: 'output_format',
    reason: 'output_format is the beta spelling of output_config.format',
    wires: ['anthropic'],
    apply: ({ output_format: format, ...node }) =>
      format === undefined ? node : { ...node, output_config: { ...Object(node.output_config), format } },
  },
  {
    name: 'same_role_runs',
    reason:
      'neighbouring messages of one role are one turn: Anthropic merges them (3.3), Gemini wants all results in one (5.2)',
    wires: ['anthropic', 'gemini'],
    apply: (node) => mapped(node, ['messages', 'contents'], joinedRuns),
  },
  {
    name: 'system_role',
    reason: 'the role of a system instruction says nothing; the SDK writes "user" (5.1)',
    wires: ['gemini'],
    apply: (node, at) => (at === '/systemInstruction' ? without(node, (key) => key === 'role') : node),
  },
  {
    name: 'one_part',
    reason: 'a repeated field of one value may be sent without its list',
    wires: ['gemini'],
    apply: (node) => mapped(node, ['parts'], (value) => (Array.isArray(value) ? value : [value])),
  },
  {
    name: 'base64_alphabet',
    reason: 'Gemini reads both alphabets of base64; SDKs write the URL-safe one, we write the usual one',
    wires: ['gemini'],
    apply: (node) => (node.mimeType === undefined ? node : mapped(node, ['data'], usualBase64)),
  },
  {
    name: 'level_case',
    reason: 'the name of a thinking level is read in any case',
    wires: ['gemini'],
    apply: (node) => mapped(node, ['thinkingLevel'], (value) => String(value).toUpperCase()),
  },
  {
    name: 'absent_content',
    reason: 'a message without content has an empty one (4.2)',
    wires: ['ollama'],
    apply: (node, at) => (at === '/messages' ? { content: '', ...node } : node),
  },
]

const emptyMembers: ReadonlySet<string> = new Set([
  'tools',
  'system',
  'annotations',
  'logprobs',
  'allowedFunctionNames',
  'generationConfig',
  'options',
  'stop',
  'format',
])

/** A body in the spelling that all equal bodies share. */
export function normalise(wire: Wire, body: unknown): unknown {
  const alsoWritten: Partial<Record<Wire, string>> = { anthropic: 'input', ollama: 'format' }
  const kept = (key: string): boolean => written.has(key) || alsoWritten[wire] === key
  return rules.filter((rule) => rule.wires.includes(wire)).reduce((value, rule) => walk(value, '', rule, kept), body)
}

function walk(value: unknown, at: string, rule: Rule, kept: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, at, rule, kept))
  if (!isMembers(value)) return value
  const entries = Object.entries(rule.apply(value, at))
  return Object.fromEntries(
    entries.map(([key, item]) => [key, kept(key) ? item : walk(item, `${at}/${key}`, rule, kept)]),
  )
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value) || value === '') return value.length === 0
  return isMembers(value) && Object.keys(value).length === 0
}

/** Tools as we declare them for a history without any. */
function isUncallable({ tools, tool_choice: choice }: Members): boolean {
  if (!Array.isArray(tools) || !isMembers(choice) || choice.type !== 'none') return false
  return tools.every((tool) => isMembers(tool) && JSON.stringify(tool.input_schema) === '{"type":"object"}')
}

function isDirect(caller: unknown): boolean {
  return isMembers(caller) && caller.type === 'direct' && Object.keys(caller).length === 1
}

function without(node: Members, drop: (key: string, value: unknown) => boolean): Members {
  return Object.fromEntries(Object.entries(node).filter(([key, value]) => !drop(key, value)))
}

function renamed(node: Members, rename: (key: string) => string): Members {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [rename(key), value]))
}

/** The node with some members changed, those it has. */
function mapped(node: Members, keys: readonly string[], change: (value: unknown) => unknown): Members {
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, keys.includes(key) ? change(value) : value]),
  )
}

/** A list of one plain text block, from a text or from such a list; nothing for any other content. */
function textBlock(content: unknown): readonly Members[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  if (!isMembers(block) || typeof block.text !== 'string' || Object.keys(block).length !== 2) return undefined
  return ['text', 'input_text', 'output_text'].includes(String(block.type))
    ? [{ type: 'text', text: block.text }]
    : undefined
}

function usualBase64(data: unknown): string {
  return String(data).replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
}

function defaultType(node: Members, at: string): Members {
  if (at === '/tools' && node.type === 'custom' && node.input_schema !== undefined)
    return without(node, (key) => key === 'type')
  if (at === '/input' && node.role !== undefined) return { type: 'message', ...node }
  return node.function !== undefined ? { type: 'function', ...node } : node
}

function joinedRuns(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  const runs: Members[] = []
  for (const message of list) {
    const last = runs.at(-1)
    if (isMembers(message) && last !== undefined && last.role === message.role) {
      runs[runs.length - 1] = { ...last, ...joined(last, message, 'content'), ...joined(last, message, 'parts') }
    } else runs.push(message)
  }
  return runs
}

function joined(first: Members, second: Members, key: string): Members {
  const [before, after] = [first[key], second[key]]
  return Array.isArray(before) && Array.isArray(after) ? { [key]: [...before, ...after] } : {}
}
