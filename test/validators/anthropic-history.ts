// What Anthropic refuses of a history: pairing of tool_use and tool_result, places and contents of blocks.
import {
  distinct,
  has,
  list,
  type Members,
  matching,
  member,
  object,
  oneOf,
  type Problems,
  refuse,
  text,
  whenGiven,
} from './shape.js'

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const userBlocks = ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload']
const resultBlocks = ['text', 'image', 'document', 'search_result', 'tool_reference']

interface Turn {
  readonly role: unknown
  readonly path: string
  readonly blocks: readonly Members[]
}

export function history(request: Members, problems: Problems): void {
  const messages = list(member(request, 'messages'), '/messages', problems, 1)
  if (messages.length > 100_000) problems.push('/messages: more than 100000')
  const turns = messages.map((item, index): Turn => {
    const path = `/messages/${index}`
    const message = object(item, path, problems)
    const last = index === messages.length - 1
    return { role: member(message, 'role'), path, blocks: content(message, last, path, problems) }
  })
  roles(turns, problems)
  pairing(turns, problems)
  ending(turns, problems)
  thinkingFirst(request, turns, problems)
  const called = turns.some(({ blocks }) => blocks.some((block) => typeOf(block) === 'tool_use'))
  if (called && !has(request, 'tools')) {
    problems.push('/tools: must be declared when the history has tool_use blocks')
  }
}

function typeOf(block: Members): unknown {
  return member(block, 'type')
}

/** The blocks of a message; a string counts as one text block. */
function content(message: Members, last: boolean, path: string, problems: Problems): readonly Members[] {
  const role = member(message, 'role')
  oneOf(role, ['user', 'assistant', 'system'], `${path}/role`, problems)
  const value = member(message, 'content')
  const mayBeEmpty = last && role === 'assistant'
  const items = typeof value === 'string' ? [{ type: 'text', text: value }] : list(value, `${path}/content`, problems)
  if (mayBeEmpty && (items.length === 0 || value === '')) return []
  if (items.length === 0) problems.push(`${path}: messages must have non-empty content`)
  return items.map((item, index) => {
    const place = `${path}/content/${index}`
    const found = object(item, place, problems)
    if (role === 'user') userBlock(found, place, problems)
    else if (role === 'assistant') assistantBlock(found, place, problems)
    else textBlock(found, place, problems)
    return found
  })
}

function textBlock(block: Members, path: string, problems: Problems): void {
  oneOf(typeOf(block), ['text'], `${path}/type`, problems)
  if (text(member(block, 'text'), `${path}/text`, problems).trim() === '') {
    problems.push(`${path}: text content blocks must contain non-whitespace text`)
  }
}

function userBlock(block: Members, path: string, problems: Problems): void {
  const type = typeOf(block)
  matching(type, /./, `${path}/type`, problems)
  if (type === 'tool_use' || type === 'thinking' || type === 'redacted_thinking') {
    oneOf(type, userBlocks, `${path}/type`, problems)
  } else if (type === 'tool_result') result(block, path, problems)
  else if (type === 'image' || type === 'document') media(block, path, problems)
  else if (type === 'text') {
    textBlock(block, path, problems)
    const citations = member(block, 'citations')
    if (Array.isArray(citations) && citations.length > 0) problems.push(`${path}/citations: not permitted for a user`)
  }
}

function assistantBlock(block: Members, path: string, problems: Problems): void {
  const type = typeOf(block)
  matching(type, /./, `${path}/type`, problems)
  if (type === 'document' || type === 'image' || type === 'tool_result') {
    problems.push(`${path}: a ${type} block has no place in an assistant message`)
  } else if (type === 'text') textBlock(block, path, problems)
  else if (type === 'thinking') {
    text(member(block, 'thinking'), `${path}/thinking`, problems)
    matching(member(block, 'signature'), /./, `${path}/signature`, problems)
    refuse(block, ['cache_control'], path, problems)
  } else if (type === 'redacted_thinking') {
    matching(member(block, 'data'), /./, `${path}/data`, problems)
    refuse(block, ['cache_control'], path, problems)
  } else if (type === 'tool_use') {
    matching(member(block, 'id'), idPattern, `${path}/id`, problems)
    matching(member(block, 'name'), namePattern, `${path}/name`, problems)
    object(member(block, 'input'), `${path}/input`, problems)
  }
}

function result(block: Members, path: string, problems: Problems): void {
  matching(member(block, 'tool_use_id'), idPattern, `${path}/tool_use_id`, problems)
  whenGiven(block, ['is_error'], path, (flag, at) => oneOf(flag, [true, false], at, problems))
  const failed = member(block, 'is_error') === true
  whenGiven(block, ['content'], path, (value, at) => {
    if (typeof value === 'string') return
    list(value, at, problems).forEach((item, index) => {
      const place = `${at}/${index}`
      const inner = object(item, place, problems)
      oneOf(typeOf(inner), failed ? ['text'] : resultBlocks, `${place}/type`, problems)
      if (typeOf(inner) === 'text') textBlock(inner, place, problems)
      if (typeOf(inner) === 'image' || typeOf(inner) === 'document') media(inner, place, problems)
    })
  })
}

function media(block: Members, path: string, problems: Problems): void {
  const image = typeOf(block) === 'image'
  const source = object(member(block, 'source'), `${path}/source`, problems)
  const kind = member(source, 'type')
  oneOf(
    kind,
    image ? ['base64', 'url', 'file'] : ['base64', 'url', 'file', 'text', 'content'],
    `${path}/source/type`,
    problems,
  )
  if (kind === 'url') matching(member(source, 'url'), /^https?:\/\//, `${path}/source/url`, problems)
  if (kind !== 'base64') return
  matching(member(source, 'data'), base64, `${path}/source/data`, problems)
  const types = image ? imageTypes : ['application/pdf']
  oneOf(member(source, 'media_type'), types, `${path}/source/media_type`, problems)
}

/** A user first; system text only right behind a user turn. */
function roles(turns: readonly Turn[], problems: Problems): void {
  turns.forEach(({ role, path }, index) => {
    if (index === 0 && role !== 'user') problems.push(`${path}: the first message must be a user's`)
    if (role === 'system' && turns[index - 1]?.role !== 'user') {
      problems.push(`${path}: a system message must come right after a user turn`)
    }
  })
}

/** All results of a turn stand first in the very next message, each once, and answer nothing else. */
function pairing(turns: readonly Turn[], problems: Problems): void {
  const ids: string[] = []
  let open: readonly string[] = []
  for (const { role, path, blocks } of turns) {
    const results = blocks.filter((block) => typeOf(block) === 'tool_result')
    const answered = results.map((block) => String(member(block, 'tool_use_id')))
    distinct(answered, path, 'tool_result of', problems)
    for (const id of open) if (!answered.includes(id)) problems.push(`${path}: tool_use ${id} has no tool_result here`)
    for (const id of answered) if (!open.includes(id)) problems.push(`${path}: tool_result ${id} has no tool_use`)
    if (results.some((block, index) => blocks[index] !== block)) {
      problems.push(`${path}: tool_result blocks must come first`)
    }
    const calls = role === 'assistant' ? blocks.filter((block) => typeOf(block) === 'tool_use') : []
    open = calls.map((block) => String(member(block, 'id')))
    ids.push(...open)
  }
  for (const id of open) problems.push(`/messages: tool_use ${id} has no tool_result`)
  distinct(ids, '/messages', 'tool_use id', problems)
}

/** A prefill may not end in white space. */
function ending(turns: readonly Turn[], problems: Problems): void {
  const last = turns.at(-1)
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  if (last === undefined || block === undefined || typeOf(block) !== 'text') return
  const words = String(member(block, 'text'))
  if (words !== words.trimEnd()) problems.push(`${last.path}: final assistant content cannot end with whitespace`)
}

/** With manual thinking the turn of an open tool loop begins with its thinking. */
function thinkingFirst(request: Members, turns: readonly Turn[], problems: Problems): void {
  const thinking = member(request, 'thinking')
  if (member(object(thinking ?? {}, '/thinking', problems), 'type') !== 'enabled') return
  const last = turns.at(-1)
  if (last === undefined || typeOf(last.blocks[0] ?? {}) !== 'tool_result') return
  const turn = turns.at(-2)
  const first = typeOf(turn?.blocks[0] ?? {})
  if (turn?.role === 'assistant' && first !== 'thinking' && first !== 'redacted_thinking') {
    problems.push(`${turn.path}: with thinking enabled the turn of an open tool loop must begin with a thinking block`)
  }
}
