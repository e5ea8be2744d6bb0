// What Gemini's `generateContent` refuses with INVALID_ARGUMENT. The model stands in the path, so what depends on it is an option.
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
  oneOf,
  type Problems,
  refuse,
  text,
  unicode,
  whenGiven,
} from './shape.js'

export interface GeminiOptions {
  /** Gemini 3 and later: the first call of each step of the running turn carries a signature. Default: not checked. */
  readonly signatures?: boolean
  /** Vertex: an empty text is refused, except where a signature stands on it. Default: not checked. */
  readonly emptyTexts?: boolean
}

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/
const callIdPattern = /^[a-zA-Z0-9_-]{1,64}$/
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const partKinds = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
]
const foreignKeys = ['messages', 'model', 'tool_choice', 'max_tokens', 'stream', 'temperature', 'stop']

export function validate(body: unknown, options: GeminiOptions = {}): readonly string[] {
  const problems: Problems = []
  const request = object(body, '', problems)
  unicode(request, '', problems)
  refuse(request, foreignKeys, '', problems)
  whenGiven(request, ['systemInstruction'], '', (value, path) => {
    const parts = list(member(object(value, path, problems), 'parts'), `${path}/parts`, problems, 1)
    for (const part of parts) text(member(object(part, path, problems), 'text'), `${path}/parts/text`, problems)
  })
  choice(request, tools(request, problems), problems)
  settings(request, problems)
  const contents = list(member(request, 'contents'), '/contents', problems, 1).map((item, index) =>
    object(item, `/contents/${index}`, problems),
  )
  history(contents, problems)
  if (options.emptyTexts === true) emptyTexts([...contents, ...instruction(request)], problems)
  if (options.signatures === true) signatures(contents, problems)
  return problems
}

function tools(request: Members, problems: Problems): readonly string[] {
  if (!has(request, 'tools')) return []
  const names = list(member(request, 'tools'), '/tools', problems).flatMap((item, index) => {
    const tool = object(item, `/tools/${index}`, problems)
    if (!has(tool, 'functionDeclarations')) {
      if (Object.keys(tool).length === 0) problems.push(`/tools/${index}: must hold a tool`)
      return []
    }
    const path = `/tools/${index}/functionDeclarations`
    return list(member(tool, 'functionDeclarations'), path, problems, 1).map((value, place) =>
      declaration(object(value, `${path}/${place}`, problems), `${path}/${place}`, problems),
    )
  })
  if (names.length > 512) problems.push('/tools: more than 512 declarations')
  distinct(names, '/tools', 'name', problems)
  return names
}

function declaration(value: Members, path: string, problems: Problems): string {
  whenGiven(value, ['description'], path, (words, at) => text(words, at, problems))
  if (has(value, 'parametersJsonSchema')) refuse(value, ['parameters'], path, problems)
  whenGiven(value, ['parametersJsonSchema', 'parameters'], path, (schema, at) => {
    const type = member(object(schema, at, problems), 'type')
    oneOf(type, at.endsWith('parameters') ? ['OBJECT', 'object'] : ['object'], `${at}/type`, problems)
  })
  return matching(member(value, 'name'), namePattern, `${path}/name`, problems)
}

function choice(request: Members, names: readonly string[], problems: Problems): void {
  whenGiven(request, ['toolConfig'], '', (value, path) => {
    whenGiven(object(value, path, problems), ['functionCallingConfig'], path, (inner, at) => {
      const config = object(inner, at, problems)
      const mode = member(config, 'mode')
      oneOf(mode, ['AUTO', 'NONE', 'ANY', 'VALIDATED'], `${at}/mode`, problems)
      if (mode === 'ANY' && names.length === 0) problems.push(`${at}: ANY needs declared functions`)
      whenGiven(config, ['allowedFunctionNames'], at, (allowed, place) => {
        if (mode !== 'ANY' && mode !== 'VALIDATED') problems.push(`${place}: needs mode ANY or VALIDATED`)
        for (const name of list(allowed, place, problems)) oneOf(name, names, place, problems)
      })
    })
  })
}

function settings(request: Members, problems: Problems): void {
  whenGiven(request, ['generationConfig'], '', (value, path) => {
    const config = object(value, path, problems)
    whenGiven(config, ['maxOutputTokens'], path, (figure, at) => integer(figure, 1, at, problems))
    whenGiven(config, ['temperature'], path, (figure, at) => number(figure, 0, 2, at, problems))
    whenGiven(config, ['topP'], path, (figure, at) => number(figure, 0, 1, at, problems))
    whenGiven(config, ['stopSequences'], path, (stop, at) => {
      const sequences = list(stop, at, problems)
      if (sequences.length > 5) problems.push(`${at}: more than 5`)
      for (const sequence of sequences) matching(sequence, /^[\s\S]+$/, at, problems)
    })
    if (has(config, 'responseJsonSchema') || has(config, 'responseSchema')) {
      matching(member(config, 'responseMimeType'), /^application\/json$/, `${path}/responseMimeType`, problems)
    }
    if (has(config, 'responseJsonSchema')) refuse(config, ['responseSchema'], path, problems)
    whenGiven(config, ['thinkingConfig'], path, (inner, at) => thinking(object(inner, at, problems), at, problems))
  })
}

function thinking(config: Members, path: string, problems: Problems): void {
  whenGiven(config, ['thinkingLevel'], path, (level, at) => {
    oneOf(level, ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'], at, problems)
    refuse(config, ['thinkingBudget'], path, problems)
  })
  whenGiven(config, ['thinkingBudget'], path, (budget, at) => integer(budget, -1, at, problems))
}

/** A user first; calls right behind a user's content; as many responses as calls, in the very next content. */
function history(contents: readonly Members[], problems: Problems): void {
  let calls: readonly Members[] = []
  contents.forEach((content, index) => {
    const path = `/contents/${index}`
    const role = member(content, 'role')
    oneOf(role, ['user', 'model', 'function'], `${path}/role`, problems)
    if (index === 0 && role === 'model') problems.push(`${path}: the first content must be a user's`)
    const parts = list(member(content, 'parts'), `${path}/parts`, problems, 1).map((item, place) =>
      part(object(item, `${path}/parts/${place}`, problems), role, `${path}/parts/${place}`, problems),
    )
    answers(calls, membersOf(parts, 'functionResponse'), path, problems)
    calls = membersOf(parts, 'functionCall')
    if (calls.length > 0 && index > 0 && member(contents[index - 1] ?? {}, 'role') === 'model') {
      problems.push(`${path}: a function call turn must come right after a user turn`)
    }
  })
  answers(calls, [], '/contents', problems)
}

function membersOf(parts: readonly Members[], key: string): readonly Members[] {
  return parts.filter((value) => has(value, key)).map((value) => member(value, key) as Members)
}

function answers(calls: readonly Members[], responses: readonly Members[], path: string, problems: Problems): void {
  if (calls.length !== responses.length) {
    problems.push(`${path}: ${responses.length} function responses for ${calls.length} function calls`)
    return
  }
  calls.forEach((call, index) => {
    const response = responses[index] ?? {}
    for (const key of ['name', 'id']) {
      if (member(call, key) !== member(response, key)) problems.push(`${path}: response ${index} has another ${key}`)
    }
  })
}

function part(value: Members, role: unknown, path: string, problems: Problems): Members {
  const kinds = partKinds.filter((kind) => has(value, kind))
  if (kinds.length !== 1) problems.push(`${path}: must hold exactly one of ${partKinds.join(', ')}`)
  whenGiven(value, ['text'], path, (words, at) => text(words, at, problems))
  whenGiven(value, ['thought'], path, (flag, at) => oneOf(flag, [true, false], at, problems))
  whenGiven(value, ['thoughtSignature'], path, (signature, at) => matching(signature, base64, at, problems))
  whenGiven(value, ['inlineData'], path, (data, at) => blob(object(data, at, problems), at, problems))
  whenGiven(value, ['fileData'], path, (data, at) => {
    text(member(object(data, at, problems), 'fileUri'), `${at}/fileUri`, problems)
  })
  whenGiven(value, ['functionCall', 'functionResponse'], path, (item, at) => {
    const spec = object(item, at, problems)
    const call = at.endsWith('functionCall')
    if (call !== (role === 'model')) problems.push(`${at}: has no place in a content of ${role}`)
    matching(member(spec, 'name'), namePattern, `${at}/name`, problems)
    whenGiven(spec, ['id'], at, (id, place) => matching(id, callIdPattern, place, problems))
    whenGiven(spec, ['args'], at, (args, place) => object(args, place, problems))
    if (!call) object(member(spec, 'response'), `${at}/response`, problems)
    whenGiven(spec, ['parts'], at, (media, place) => {
      for (const inner of list(media, place, problems)) attached(object(inner, place, problems), place, problems)
    })
  })
  return value
}

function emptyTexts(contents: readonly Members[], problems: Problems): void {
  const parts = contents.flatMap((content) => list(member(content, 'parts'), '/parts', problems) as readonly Members[])
  const empty = parts.filter((value) => member(value, 'text') === '' && !has(value, 'thoughtSignature'))
  if (empty.length > 0) problems.push(`/contents: ${empty.length} texts are empty`)
}

function instruction(request: Members): readonly Members[] {
  return has(request, 'systemInstruction') ? [member(request, 'systemInstruction') as Members] : []
}

/** Media of a result: inline, or by address. */
function attached(value: Members, path: string, problems: Problems): void {
  if (has(value, 'fileData')) {
    text(member(object(member(value, 'fileData'), path, problems), 'fileUri'), `${path}/fileUri`, problems)
  } else blob(object(member(value, 'inlineData'), path, problems), path, problems)
}

function blob(data: Members, path: string, problems: Problems): void {
  matching(member(data, 'mimeType'), /^[^/\s]+\/[^/\s]+$/, `${path}/mimeType`, problems)
  matching(member(data, 'data'), base64, `${path}/data`, problems)
}

/** The running turn begins at the last content in which the user spoke. */
function signatures(contents: readonly Members[], problems: Problems): void {
  const spoke = (content: Members): boolean =>
    member(content, 'role') !== 'model' && partsOf(content).some((value) => !has(value, 'functionResponse'))
  contents.slice(contents.findLastIndex(spoke) + 1).forEach((content) => {
    const first = partsOf(content).find((value) => has(value, 'functionCall'))
    if (first !== undefined && !has(first, 'thoughtSignature')) {
      problems.push('/contents: a function call is missing a thought_signature')
    }
  })
}

function partsOf(content: Members): readonly Members[] {
  const parts = member(content, 'parts')
  return Array.isArray(parts) ? parts : []
}
