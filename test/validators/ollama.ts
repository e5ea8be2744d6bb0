// What Ollama's `POST /api/chat` refuses: it decodes into Go types, so a member of the wrong type is a 400. It does not look
// at the pairing of calls and results.
import {
  has,
  integer,
  isMembers,
  list,
  type Members,
  matching,
  member,
  number,
  object,
  oneOf,
  type Problems,
  refuse,
  text,
  unicode,
  whenGiven,
} from './shape.js'

const largestNumber = Number.MAX_VALUE

export function validate(body: unknown): readonly string[] {
  const problems: Problems = []
  const request = object(body, '', problems)
  unicode(request, '', problems)
  matching(member(request, 'model'), /^[\s\S]+$/, '/model', problems)
  refuse(request, ['tool_choice', 'parallel_tool_calls', 'temperature', 'max_tokens', 'stop'], '', problems)
  whenGiven(request, ['tools'], '', (value, path) => {
    list(value, path, problems).forEach((item, index) => {
      tool(object(item, `${path}/${index}`, problems), `${path}/${index}`, problems)
    })
  })
  settings(request, problems)
  list(member(request, 'messages'), '/messages', problems).forEach((item, index) => {
    message(object(item, `/messages/${index}`, problems), `/messages/${index}`, problems)
  })
  return problems
}

function settings(request: Members, problems: Problems): void {
  whenGiven(request, ['stream'], '', (value, at) => oneOf(value, [true, false], at, problems))
  whenGiven(request, ['think'], '', (value, at) =>
    oneOf(value, [true, false, 'low', 'medium', 'high', 'max'], at, problems),
  )
  whenGiven(request, ['format'], '', (value, at) => {
    if (!isMembers(value)) oneOf(value, ['json'], at, problems)
  })
  whenGiven(request, ['options'], '', (value, path) => {
    const options = object(value, path, problems)
    whenGiven(options, ['temperature', 'top_p'], path, (figure, at) => number(figure, 0, largestNumber, at, problems))
    whenGiven(options, ['num_predict', 'num_ctx'], path, (figure, at) => integer(figure, -2, at, problems))
    whenGiven(options, ['stop'], path, (stop, at) => {
      for (const sequence of list(stop, at, problems)) text(sequence, at, problems)
    })
  })
}

function tool(value: Members, path: string, problems: Problems): void {
  text(member(value, 'type'), `${path}/type`, problems)
  const spec = object(member(value, 'function'), `${path}/function`, problems)
  matching(member(spec, 'name'), /^[\s\S]+$/, `${path}/function/name`, problems)
  whenGiven(spec, ['description'], `${path}/function`, (words, at) => text(words, at, problems))
  whenGiven(spec, ['parameters'], `${path}/function`, (schema, at) => {
    const parameters = object(schema, at, problems)
    text(member(parameters, 'type'), `${at}/type`, problems)
    names(parameters, at, problems)
    properties(parameters, at, problems)
  })
}

/** The server's property type: what it keeps must have its Go type. */
function property(value: unknown, path: string, problems: Problems): void {
  const schema = object(value, path, problems)
  whenGiven(schema, ['type'], path, (type, at) => {
    if (typeof type !== 'string') for (const name of list(type, at, problems)) text(name, at, problems)
  })
  whenGiven(schema, ['description'], path, (words, at) => text(words, at, problems))
  whenGiven(schema, ['enum'], path, (values, at) => list(values, at, problems))
  whenGiven(schema, ['anyOf'], path, (options, at) => {
    list(options, at, problems).forEach((option, index) => {
      property(option, `${at}/${index}`, problems)
    })
  })
  names(schema, path, problems)
  properties(schema, path, problems)
}

function names(schema: Members, path: string, problems: Problems): void {
  whenGiven(schema, ['required'], path, (required, at) => {
    for (const name of list(required, at, problems)) text(name, at, problems)
  })
}

function properties(schema: Members, path: string, problems: Problems): void {
  whenGiven(schema, ['properties'], path, (value, at) => {
    for (const [key, inner] of Object.entries(object(value, at, problems))) property(inner, `${at}/${key}`, problems)
  })
}

function message(value: Members, path: string, problems: Problems): void {
  oneOf(member(value, 'role'), ['system', 'user', 'assistant', 'tool'], `${path}/role`, problems)
  text(member(value, 'content'), `${path}/content`, problems)
  whenGiven(value, ['thinking', 'tool_name', 'tool_call_id'], path, (words, at) => text(words, at, problems))
  if (member(value, 'role') === 'tool' && !has(value, 'tool_name')) problems.push(`${path}/tool_name: must be given`)
  whenGiven(value, ['images'], path, (images, at) => {
    for (const image of list(images, at, problems)) matching(image, /^[A-Za-z0-9+/]*={0,2}$/, at, problems)
  })
  whenGiven(value, ['tool_calls'], path, (calls, at) => {
    list(calls, at, problems).forEach((item, index) => {
      const call = object(item, `${at}/${index}`, problems)
      const target = object(member(call, 'function'), `${at}/${index}/function`, problems)
      text(member(target, 'name'), `${at}/${index}/function/name`, problems)
      object(member(target, 'arguments'), `${at}/${index}/function/arguments`, problems)
      whenGiven(call, ['id'], `${at}/${index}`, (id, place) => text(id, place, problems))
    })
  })
}
