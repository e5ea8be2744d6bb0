// What OpenAI's `POST /v1/responses` refuses with a 400, for a stateless request (`store: false`). Item and part types it
// does not know are not judged: hosted tools have many.
import {
  distinct,
  has,
  integer,
  isMembers,
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

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/
const callIdPattern = /^[\s\S]{1,64}$/
const longestOutput = 10_485_760
const chatOnly = ['messages', 'stop', 'max_tokens', 'max_completion_tokens', 'response_format', 'reasoning_effort']
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
/** Items that a model says: one of these must follow its reasoning. */
const spokenItems = /(_call|^message|^reasoning|^compaction)$/

export function validate(body: unknown): readonly string[] {
  const problems: Problems = []
  const request = object(body, '', problems)
  unicode(request, '', problems)
  matching(member(request, 'model'), /^[\s\S]+$/, '/model', problems)
  refuse(request, chatOnly, '', problems)
  choice(request, tools(request, problems), problems)
  settings(request, problems)
  const input = member(request, 'input')
  if (typeof input !== 'string') history(list(input, '/input', problems, 1), request, problems)
  return problems
}

function tools(request: Members, problems: Problems): readonly string[] {
  if (!has(request, 'tools')) {
    refuse(request, ['tool_choice', 'parallel_tool_calls'], '', problems)
    return []
  }
  const names = list(member(request, 'tools'), '/tools', problems, 1).flatMap((item, index) => {
    const path = `/tools/${index}`
    const tool = object(item, path, problems)
    const type = matching(member(tool, 'type'), /./, `${path}/type`, problems)
    if (type === 'function') functionTool(tool, path, problems)
    if (type !== 'function' && type !== 'custom') return []
    return [matching(member(tool, 'name'), namePattern, `${path}/name`, problems)]
  })
  distinct(names, '/tools', 'name', problems)
  return names
}

/** `strict` left out means that the server tries strict mode, so it must be said. */
function functionTool(tool: Members, path: string, problems: Problems): void {
  oneOf(member(tool, 'strict'), [true, false], `${path}/strict`, problems)
  if (member(tool, 'parameters') !== null) objectSchema(member(tool, 'parameters'), `${path}/parameters`, problems)
  whenGiven(tool, ['description'], path, (value, at) => text(value, at, problems))
}

function choice(request: Members, names: readonly string[], problems: Problems): void {
  whenGiven(request, ['parallel_tool_calls'], '', (value, at) => oneOf(value, [true, false], at, problems))
  whenGiven(request, ['tool_choice'], '', (value, path) => {
    if (!isMembers(value)) return oneOf(value, ['none', 'auto', 'required'], path, problems)
    const type = matching(member(value, 'type'), /./, `${path}/type`, problems)
    if (type === 'function' || type === 'custom') oneOf(member(value, 'name'), names, `${path}/name`, problems)
    if (type !== 'allowed_tools') return
    oneOf(member(value, 'mode'), ['auto', 'required'], `${path}/mode`, problems)
    for (const item of list(member(value, 'tools'), `${path}/tools`, problems, 1)) {
      const tool = object(item, `${path}/tools`, problems)
      if (member(tool, 'type') === 'function') oneOf(member(tool, 'name'), names, `${path}/tools/name`, problems)
    }
  })
}

function settings(request: Members, problems: Problems): void {
  whenGiven(request, ['instructions', 'previous_response_id'], '', (value, at) => text(value, at, problems))
  whenGiven(request, ['max_output_tokens'], '', (value, at) => integer(value, 1, at, problems))
  whenGiven(request, ['temperature'], '', (value, at) => number(value, 0, 2, at, problems))
  whenGiven(request, ['top_p'], '', (value, at) => number(value, 0, 1, at, problems))
  whenGiven(request, ['stream', 'store'], '', (value, at) => oneOf(value, [true, false], at, problems))
  whenGiven(request, ['include'], '', (value, at) => list(value, at, problems))
  whenGiven(request, ['reasoning'], '', (value, path) => {
    const reasoning = object(value, path, problems)
    whenGiven(reasoning, ['effort'], path, (effort, at) => oneOf(effort, efforts, at, problems))
    whenGiven(reasoning, ['summary'], path, (kind, at) => oneOf(kind, ['auto', 'concise', 'detailed'], at, problems))
  })
  whenGiven(request, ['text'], '', (value, path) => {
    whenGiven(object(value, path, problems), ['format'], path, (format, at) => outputFormat(format, at, problems))
  })
}

function outputFormat(value: unknown, path: string, problems: Problems): void {
  const format = object(value, path, problems)
  oneOf(member(format, 'type'), ['text', 'json_object', 'json_schema'], `${path}/type`, problems)
  if (member(format, 'type') !== 'json_schema') return
  matching(member(format, 'name'), /^[a-zA-Z0-9_-]{1,64}$/, `${path}/name`, problems)
  object(member(format, 'schema'), `${path}/schema`, problems)
  whenGiven(format, ['strict'], path, (strict, at) => oneOf(strict, [true, false], at, problems))
  whenGiven(format, ['description'], path, (words, at) => text(words, at, problems))
}

/** Every call is answered once, behind it; reasoning is followed by what it led to. */
function history(items: readonly unknown[], request: Members, problems: Problems): void {
  const open = new Set<string>()
  const called = new Set<string>()
  items.forEach((value, index) => {
    const path = `/input/${index}`
    const item = object(value, path, problems)
    const type = member(item, 'type') ?? 'message'
    if (type === 'message') message(item, path, problems)
    else if (type === 'reasoning') reasoningItem(item, items[index + 1], request, path, problems)
    else if (type === 'function_call' || type === 'custom_tool_call') {
      const id = call(item, path, problems)
      if (called.has(id)) problems.push(`${path}: the call id ${id} occurs twice`)
      called.add(id)
      open.add(`${type}_output ${id}`)
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const id = matching(member(item, 'call_id'), callIdPattern, `${path}/call_id`, problems)
      if (!open.delete(`${type} ${id}`)) problems.push(`${path}: no tool call found for function call output`)
      output(member(item, 'output'), `${path}/output`, problems)
    } else matching(type, /./, `${path}/type`, problems)
  })
  for (const missing of open) problems.push(`/input: no tool output found: ${missing}`)
}

function call(item: Members, path: string, problems: Problems): string {
  matching(member(item, 'name'), namePattern, `${path}/name`, problems)
  const written = member(item, 'type') === 'custom_tool_call' ? 'input' : 'arguments'
  text(member(item, written), `${path}/${written}`, problems)
  whenGiven(item, ['status'], path, (value, at) =>
    oneOf(value, ['in_progress', 'completed', 'incomplete'], at, problems),
  )
  return matching(member(item, 'call_id'), callIdPattern, `${path}/call_id`, problems)
}

function output(value: unknown, path: string, problems: Problems): void {
  if (typeof value === 'string') {
    if (value.length > longestOutput) problems.push(`${path}: longer than ${longestOutput}`)
    return
  }
  parts(list(value, path, problems, 1), ['input_text', 'input_image', 'input_file'], path, problems)
}

function reasoningItem(item: Members, next: unknown, request: Members, path: string, problems: Problems): void {
  list(member(item, 'summary'), `${path}/summary`, problems).forEach((value, index) => {
    const part = object(value, `${path}/summary/${index}`, problems)
    oneOf(member(part, 'type'), ['summary_text'], `${path}/summary/${index}/type`, problems)
    text(member(part, 'text'), `${path}/summary/${index}/text`, problems)
  })
  const encrypted = member(item, 'encrypted_content')
  if (member(request, 'store') === false && (typeof encrypted !== 'string' || encrypted === '')) {
    problems.push(`${path}: an item that was not stored needs encrypted_content`)
  }
  const follower = isMembers(next) ? next : {}
  const type = member(follower, 'type') ?? (isMembers(next) ? 'message' : '')
  const spoken = spokenItems.test(String(type)) && (type !== 'message' || member(follower, 'role') === 'assistant')
  if (!spoken) problems.push(`${path}: reasoning was provided without its required following item`)
}

function message(item: Members, path: string, problems: Problems): void {
  const role = member(item, 'role')
  oneOf(role, ['user', 'assistant', 'system', 'developer'], `${path}/role`, problems)
  const content = member(item, 'content')
  if (typeof content === 'string') return
  const types =
    role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file', 'input_audio']
  parts(list(content, `${path}/content`, problems, 1), types, `${path}/content`, problems)
}

function parts(content: readonly unknown[], types: readonly string[], path: string, problems: Problems): void {
  content.forEach((value, index) => {
    const place = `${path}/${index}`
    const part = object(value, place, problems)
    const type = member(part, 'type')
    oneOf(type, types, `${place}/type`, problems)
    if (type === 'input_text' || type === 'output_text') text(member(part, 'text'), `${place}/text`, problems)
    if (type === 'refusal') text(member(part, 'refusal'), `${place}/refusal`, problems)
    if (type === 'input_image') {
      if (!has(part, 'file_id') && !has(part, 'image_url')) problems.push(`${place}: needs image_url or file_id`)
      whenGiven(part, ['image_url'], place, (url, at) => {
        matching(url, /^(https?:\/\/|data:[^,]*;base64,)/, at, problems)
      })
    }
    if (type === 'input_file' && !['file_id', 'file_url', 'file_data'].some((key) => has(part, key))) {
      problems.push(`${place}: needs file_id, file_url or file_data`)
    }
  })
}
