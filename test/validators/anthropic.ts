// What Anthropic's `POST /v1/messages` refuses with a 400: settings and tools here, the history in anthropic-history.ts.
// Block and tool types it does not know are not judged: server tools have many.
import { history } from './anthropic-history.js'
import {
  distinct,
  has,
  integer,
  list,
  type Members,
  matching,
  member,
  number,
  object,
  objectSchema,
  oneOf,
  type Problems,
  refuse,
  text,
  unicode,
  whenGiven,
} from './shape.js'

export interface AnthropicOptions {
  /** The value of `anthropic-version`. Since 2026-10-21 sampling parameters are refused. Default: 2026-10-21. */
  readonly version?: '2023-06-01' | '2026-10-21'
}

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/
const propertyPattern = /^[a-zA-Z0-9_.-]{1,64}$/
const sampling = ['temperature', 'top_p', 'top_k']
const foreignKeys = ['response_format', 'stop', 'parallel_tool_calls', 'max_completion_tokens', 'reasoning_effort']

export function validate(body: unknown, options: AnthropicOptions = {}): readonly string[] {
  const problems: Problems = []
  const request = object(body, '', problems)
  unicode(request, '', problems)
  refuse(request, options.version === '2023-06-01' ? foreignKeys : [...foreignKeys, ...sampling], '', problems)
  matching(member(request, 'model'), /^[\s\S]+$/, '/model', problems)
  integer(member(request, 'max_tokens'), 0, '/max_tokens', problems)
  system(request, problems)
  choice(request, tools(request, problems), problems)
  settings(request, problems)
  history(request, problems)
  return problems
}

function system(request: Members, problems: Problems): void {
  whenGiven(request, ['system'], '', (value, path) => {
    if (typeof value === 'string') return
    list(value, path, problems).forEach((item, index) => {
      const block = object(item, `${path}/${index}`, problems)
      oneOf(member(block, 'type'), ['text'], `${path}/${index}/type`, problems)
      if (text(member(block, 'text'), `${path}/${index}/text`, problems).trim() === '') {
        problems.push(`${path}/${index}: text content blocks must be non-empty`)
      }
    })
  })
}

function tools(request: Members, problems: Problems): readonly string[] {
  if (!has(request, 'tools')) {
    refuse(request, ['tool_choice'], '', problems)
    return []
  }
  const names = list(member(request, 'tools'), '/tools', problems).map((item, index) => {
    const path = `/tools/${index}`
    const tool = object(item, path, problems)
    if (!has(tool, 'type') || member(tool, 'type') === 'custom') custom(tool, path, problems)
    else matching(member(tool, 'type'), /./, `${path}/type`, problems)
    return matching(member(tool, 'name'), namePattern, `${path}/name`, problems)
  })
  distinct(names, '/tools', 'name', problems)
  return names
}

function custom(tool: Members, path: string, problems: Problems): void {
  const properties = objectSchema(member(tool, 'input_schema'), `${path}/input_schema`, problems)
  for (const key of Object.keys(properties)) {
    matching(key, propertyPattern, `${path}/input_schema/properties`, problems)
  }
  whenGiven(tool, ['description'], path, (value, at) => text(value, at, problems))
  whenGiven(tool, ['strict'], path, (value, at) => oneOf(value, [true, false], at, problems))
}

function choice(request: Members, names: readonly string[], problems: Problems): void {
  whenGiven(request, ['tool_choice'], '', (value, path) => {
    const chosen = object(value, path, problems)
    const type = member(chosen, 'type')
    oneOf(type, ['auto', 'any', 'tool', 'none'], `${path}/type`, problems)
    if (type === 'tool') oneOf(member(chosen, 'name'), names, `${path}/name`, problems)
    if (type === 'none') refuse(chosen, ['disable_parallel_tool_use'], path, problems)
    whenGiven(chosen, ['disable_parallel_tool_use'], path, (flag, at) => oneOf(flag, [true, false], at, problems))
    const manual = member(object(member(request, 'thinking') ?? {}, '/thinking', problems), 'type') === 'enabled'
    if (manual && (type === 'any' || type === 'tool')) {
      problems.push(`${path}: thinking may not be enabled when the choice forces tool use`)
    }
  })
}

function settings(request: Members, problems: Problems): void {
  whenGiven(request, ['temperature', 'top_p'], '', (value, at) => number(value, 0, 1, at, problems))
  whenGiven(request, ['stream'], '', (value, at) => oneOf(value, [true, false], at, problems))
  whenGiven(request, ['stop_sequences'], '', (value, at) => {
    for (const sequence of list(value, at, problems)) {
      if (text(sequence, at, problems).trim() === '') problems.push(`${at}: each must contain non-whitespace`)
    }
  })
  whenGiven(request, ['thinking'], '', (value, path) => {
    const thinking = object(value, path, problems)
    oneOf(member(thinking, 'type'), ['adaptive', 'enabled', 'disabled', 'between_tools'], `${path}/type`, problems)
    whenGiven(thinking, ['display'], path, (display, at) => oneOf(display, ['summarized', 'omitted'], at, problems))
    if (member(thinking, 'type') !== 'enabled') return
    const budget = member(thinking, 'budget_tokens')
    integer(budget, 1024, `${path}/budget_tokens`, problems)
    if (Number(budget) >= Number(member(request, 'max_tokens'))) problems.push(`${path}: needs a larger max_tokens`)
  })
  whenGiven(request, ['output_config'], '', (value, path) => {
    const config = object(value, path, problems)
    whenGiven(config, ['effort'], path, (effort, at) =>
      oneOf(effort, ['low', 'medium', 'high', 'xhigh', 'max'], at, problems),
    )
    whenGiven(config, ['format'], path, (format, at) => {
      oneOf(member(object(format, at, problems), 'type'), ['json_schema'], `${at}/type`, problems)
      object(member(object(format, at, problems), 'schema'), `${at}/schema`, problems)
    })
  })
}
