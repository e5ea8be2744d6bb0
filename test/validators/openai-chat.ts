// What OpenAI's `POST /v1/chat/completions` refuses with a 400. Members it does not know are not judged.
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

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/
const callIdPattern = /^[\s\S]{1,40}$/
export interface ChatOptions {
  /** How the vendor spells that some tool must be called. Default: required. */
  readonly required?: string
  /** The call ids the vendor takes. Default: up to 40 characters. */
  readonly callIds?: RegExp
  /** Whether an assistant's content may hold `thinking` parts. Default: no. */
  readonly thinkingParts?: boolean
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export function validate(body: unknown, options: ChatOptions = {}): readonly string[] {
  const problems: Problems = []
  const request = object(body, '', problems)
  unicode(request, '', problems)
  matching(member(request, 'model'), /^[\s\S]+$/, '/model', problems)
  const names = tools(request, problems)
  choice(request, names, options.required ?? 'required', problems)
  settings(request, problems)
  history(list(member(request, 'messages'), '/messages', problems, 1), options, problems)
  return problems
}

function tools(request: Members, problems: Problems): readonly string[] {
  if (!has(request, 'tools')) {
    refuse(request, ['tool_choice', 'parallel_tool_calls'], '', problems)
    return []
  }
  const declared = list(member(request, 'tools'), '/tools', problems, 1)
  if (declared.length > 128) problems.push('/tools: more than 128')
  const names = declared.flatMap((item, index) => {
    const path = `/tools/${index}`
    const tool = object(item, path, problems)
    const type = text(member(tool, 'type'), `${path}/type`, problems)
    if (type !== 'function' && type !== 'custom') return []
    const spec = object(member(tool, type), `${path}/${type}`, problems)
    whenGiven(spec, ['description'], path, (value, at) => text(value, at, problems))
    whenGiven(spec, ['strict'], path, (value, at) => oneOf(value, [true, false], at, problems))
    whenGiven(spec, ['parameters'], path, (value, at) => objectSchema(value, at, problems))
    return [matching(member(spec, 'name'), namePattern, `${path}/${type}/name`, problems)]
  })
  distinct(names, '/tools', 'name', problems)
  return names
}

function choice(request: Members, names: readonly string[], required: string, problems: Problems): void {
  whenGiven(request, ['parallel_tool_calls'], '', (value, at) => oneOf(value, [true, false], at, problems))
  whenGiven(request, ['tool_choice'], '', (value, path) => {
    if (!isMembers(value)) return oneOf(value, ['none', 'auto', required], path, problems)
    if (member(value, 'type') !== 'allowed_tools') return named(value, names, path, problems)
    const allowed = object(member(value, 'allowed_tools'), `${path}/allowed_tools`, problems)
    oneOf(member(allowed, 'mode'), ['auto', 'required'], `${path}/mode`, problems)
    for (const tool of list(member(allowed, 'tools'), `${path}/tools`, problems, 1)) {
      named(object(tool, path, problems), names, path, problems)
    }
  })
}

function named(value: Members, names: readonly string[], path: string, problems: Problems): void {
  const type = member(value, 'type')
  oneOf(type, ['function', 'custom'], `${path}/type`, problems)
  const target = object(member(value, String(type)), `${path}/${type}`, problems)
  oneOf(member(target, 'name'), names, `${path}/name`, problems)
}

function settings(request: Members, problems: Problems): void {
  whenGiven(request, ['max_completion_tokens', 'max_tokens', 'n'], '', (value, at) => integer(value, 1, at, problems))
  if (has(request, 'max_completion_tokens')) refuse(request, ['max_tokens'], '', problems)
  whenGiven(request, ['temperature'], '', (value, at) => number(value, 0, 2, at, problems))
  whenGiven(request, ['top_p'], '', (value, at) => number(value, 0, 1, at, problems))
  whenGiven(request, ['stream'], '', (value, at) => oneOf(value, [true, false], at, problems))
  if (member(request, 'stream') !== true) refuse(request, ['stream_options'], '', problems)
  whenGiven(request, ['reasoning_effort'], '', (value, at) => oneOf(value, efforts, at, problems))
  whenGiven(request, ['stop'], '', (value, at) => {
    if (typeof value === 'string') return
    const sequences = list(value, at, problems, 1)
    if (sequences.length > 4) problems.push(`${at}: more than 4`)
    for (const sequence of sequences) text(sequence, at, problems)
  })
  whenGiven(request, ['response_format'], '', (value, path) => {
    const format = object(value, path, problems)
    oneOf(member(format, 'type'), ['text', 'json_object', 'json_schema'], `${path}/type`, problems)
    if (member(format, 'type') !== 'json_schema') return
    const spec = object(member(format, 'json_schema'), `${path}/json_schema`, problems)
    matching(member(spec, 'name'), namePattern, `${path}/name`, problems)
    whenGiven(spec, ['schema'], path, (schema, at) => object(schema, at, problems))
    whenGiven(spec, ['strict'], path, (strict, at) => oneOf(strict, [true, false], at, problems))
    whenGiven(spec, ['description'], path, (words, at) => text(words, at, problems))
  })
}

/** Every call is answered by one tool message before anything else is said. */
function history(messages: readonly unknown[], options: ChatOptions, problems: Problems): void {
  let open = new Set<string>()
  messages.forEach((item, index) => {
    const path = `/messages/${index}`
    const message = object(item, path, problems)
    const role = member(message, 'role')
    if (role === 'tool') {
      const id = text(member(message, 'tool_call_id'), `${path}/tool_call_id`, problems)
      if (!open.delete(id)) problems.push(`${path}: answers no open call`)
      content(member(message, 'content'), ['text'], `${path}/content`, problems)
      return
    }
    if (open.size > 0) problems.push(`${path}: the calls ${[...open].join(', ')} are not answered`)
    open = role === 'assistant' ? new Set(assistant(message, options, path, problems)) : new Set()
    if (role !== 'assistant') spoken(message, role, path, problems)
  })
  if (open.size > 0) problems.push(`/messages: the calls ${[...open].join(', ')} are not answered`)
}

function spoken(message: Members, role: unknown, path: string, problems: Problems): void {
  oneOf(role, ['system', 'developer', 'user'], `${path}/role`, problems)
  const types = role === 'user' ? ['text', 'image_url', 'input_audio', 'file'] : ['text']
  content(member(message, 'content'), types, `${path}/content`, problems)
}

function assistant(message: Members, options: ChatOptions, path: string, problems: Problems): readonly string[] {
  const said = member(message, 'content')
  const types = ['text', 'refusal', ...(options.thinkingParts ? ['thinking'] : [])]
  if (said !== undefined && said !== null) content(said, types, `${path}/content`, problems)
  if (!has(message, 'tool_calls')) {
    const silent = (said === undefined || said === null) && typeof member(message, 'refusal') !== 'string'
    if (silent && !has(message, 'function_call')) problems.push(`${path}/content: must be given without tool_calls`)
    return []
  }
  const ids = list(member(message, 'tool_calls'), `${path}/tool_calls`, problems, 1).map((item, index) => {
    const place = `${path}/tool_calls/${index}`
    const call = object(item, place, problems)
    oneOf(member(call, 'type'), ['function', 'custom'], `${place}/type`, problems)
    const type = String(member(call, 'type'))
    const target = object(member(call, type), `${place}/${type}`, problems)
    matching(member(target, 'name'), namePattern, `${place}/name`, problems)
    text(member(target, type === 'custom' ? 'input' : 'arguments'), `${place}/arguments`, problems)
    return matching(member(call, 'id'), options.callIds ?? callIdPattern, `${place}/id`, problems)
  })
  distinct(ids, `${path}/tool_calls`, 'id', problems)
  return ids
}

function content(value: unknown, types: readonly string[], path: string, problems: Problems): void {
  if (typeof value === 'string') return
  list(value, path, problems, 1).forEach((item, index) => {
    const place = `${path}/${index}`
    const part = object(item, place, problems)
    const type = member(part, 'type')
    oneOf(type, types, `${place}/type`, problems)
    if (type === 'text' || type === 'refusal') text(member(part, type), `${place}/${type}`, problems)
    if (type === 'image_url') image(member(part, 'image_url'), place, problems)
    if (type === 'file') file(object(member(part, 'file'), `${place}/file`, problems), place, problems)
    if (type === 'input_audio') object(member(part, 'input_audio'), `${place}/input_audio`, problems)
  })
}

function image(value: unknown, path: string, problems: Problems): void {
  const source = object(value, `${path}/image_url`, problems)
  matching(member(source, 'url'), /^(https?:\/\/|data:[^,]*;base64,)/, `${path}/image_url/url`, problems)
  whenGiven(source, ['detail'], path, (detail, at) => oneOf(detail, ['auto', 'low', 'high', 'original'], at, problems))
}

function file(source: Members, path: string, problems: Problems): void {
  if (!has(source, 'file_id') && !has(source, 'file_data')) problems.push(`${path}/file: needs file_id or file_data`)
  whenGiven(source, ['file_id', 'file_data', 'filename'], `${path}/file`, (value, at) => text(value, at, problems))
}
