// Gemini, read by section 5 of the wire reference. A stream without `alt=sse` is one JSON array.
import { sseData } from './payloads.js'
import {
  count,
  type Fields,
  fields,
  finishWith,
  list,
  objectCall,
  type ReadCall,
  type Reader,
  type Reading,
  type ReadUsage,
  text,
} from './reading.js'

export const gemini: Reader = { readBody, readStream }

function readBody(body: unknown): Reading {
  return readChunks([fields(body)])
}

function readStream(stream: string): Reading {
  const whole = stream.trimStart()
  if (whole.startsWith('[')) return readChunks(list(JSON.parse(whole)))
  return readChunks(sseData(stream).map((data) => fields(JSON.parse(data))))
}

function readChunks(chunks: readonly Fields[]): Reading {
  let finish: unknown
  let spent: Fields | undefined
  let blocked = false
  let said = ''
  const calls: ReadCall[] = []
  let open: OpenCall | undefined
  for (const chunk of chunks) {
    if (chunk.error !== undefined) return { kind: 'error' }
    if (chunk.usageMetadata !== undefined) spent = fields(chunk.usageMetadata)
    blocked ||= fields(chunk.promptFeedback).blockReason !== undefined
    const candidate = list(chunk.candidates)[0] ?? {}
    finish = candidate.finishReason ?? finish
    for (const part of list(fields(candidate.content).parts)) {
      if (typeof part.text === 'string' && part.thought !== true) said += part.text
      if (part.functionCall === undefined) continue
      const call = fields(part.functionCall)
      if (open === undefined && call.partialArgs === undefined && call.willContinue !== true) {
        if (text(call.name) !== '') calls.push(objectCall(call.id, call.name, call.args))
        continue
      }
      open ??= { id: call.id, name: call.name, value: {} }
      for (const piece of list(call.partialArgs)) addPiece(open.value, piece)
      if (call.willContinue !== true) {
        calls.push(objectCall(open.id, open.name, open.value))
        open = undefined
      }
    }
  }
  const reason = blocked && finish === undefined ? 'content_filter' : finishWith(calls, finishOf(finish))
  const usage = spent === undefined ? undefined : usageOf(spent)
  return { kind: 'answer', text: said, calls, finish: reason, ...(usage === undefined ? {} : { usage }) }
}

interface OpenCall {
  readonly id: unknown
  readonly name: unknown
  readonly value: { [key: string]: unknown }
}

/** One fragment of an argument: text is appended at its path, any other value is put there. */
function addPiece(root: { [key: string]: unknown }, piece: Fields): void {
  const path = text(piece.jsonPath)
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .slice(1)
  const last = path.pop()
  if (last === undefined) return
  let target = root
  path.forEach((key, index) => {
    target[key] ??= /^\d+$/.test(path[index + 1] ?? last) ? [] : {}
    target = target[key] as { [key: string]: unknown }
  })
  if (piece.stringValue === undefined) target[last] = piece.numberValue ?? piece.boolValue ?? null
  else target[last] = text(target[last]) + text(piece.stringValue)
}

function finishOf(raw: unknown): string {
  switch (raw) {
    case 'STOP':
    case 1:
      return 'stop'
    case 'MAX_TOKENS':
    case 2:
      return 'length'
    case 'CONTINUATION':
      return 'pause'
    case undefined:
    case 'OTHER':
    case 'FINISH_REASON_UNSPECIFIED':
    case 'MALFORMED_FUNCTION_CALL':
    case 'UNEXPECTED_TOOL_CALL':
    case 'TOO_MANY_TOOL_CALLS':
      return 'error'
    default: // SAFETY, RECITATION, BLOCKLIST, MODEL_ARMOR and their like.
      return 'content_filter'
  }
}

function usageOf(given: Fields): ReadUsage | undefined {
  if (given.promptTokenCount === undefined && given.candidatesTokenCount === undefined) return undefined
  return {
    input: count(given.promptTokenCount) + count(given.toolUsePromptTokenCount),
    output: count(given.candidatesTokenCount) + count(given.thoughtsTokenCount),
    cacheRead: count(given.cachedContentTokenCount),
    cacheWrite: 0,
    reasoning: count(given.thoughtsTokenCount),
  }
}
