// How much one request or one answer may hold. No legitimate conversation comes near these numbers, and a list without an end would
// keep the process busy for everybody else.
import { ToolwireError } from '../errors/error.js'
import { type AssistantMessage, isCall, type Message } from './messages.js'
import type { CompletionRequest } from './request.js'

/** The most of each list that a request may hold; `callsPerTurn` also holds for an answer. */
export interface RequestLimits {
  /** Messages of the conversation; 10,000. */
  readonly messages: number
  /** Calls in one assistant turn, of a request or of an answer; 2,000. */
  readonly callsPerTurn: number
  /** Results in one tool message; 2,000. */
  readonly resultsPerTurn: number
  /** Tools of a request; 10,000. */
  readonly tools: number
  /** Content parts of one message or of one result; 10,000. */
  readonly partsPerMessage: number
}

export const defaultRequestLimits: RequestLimits = {
  messages: 10_000,
  callsPerTurn: 2_000,
  resultsPerTurn: 2_000,
  tools: 10_000,
  partsPerMessage: 10_000,
}

/** For whoever checked the request before. */
export const noRequestLimits: RequestLimits = {
  messages: Number.POSITIVE_INFINITY,
  callsPerTurn: Number.POSITIVE_INFINITY,
  resultsPerTurn: Number.POSITIVE_INFINITY,
  tools: Number.POSITIVE_INFINITY,
  partsPerMessage: Number.POSITIVE_INFINITY,
}

/** The limits with those that are given in place of the defaults. Each must be above 0. */
export function readRequestLimits(given: Partial<RequestLimits> | undefined, options: string): RequestLimits {
  if (given === undefined) return defaultRequestLimits
  const limits: { -readonly [K in keyof RequestLimits]: number } = { ...defaultRequestLimits }
  for (const name of Object.keys(limits) as (keyof RequestLimits)[]) {
    const limit = given[name]
    if (limit === undefined) continue
    if (!(limit > 0)) throw new ToolwireError('misuse', `${options}.${name} must be a number above 0`)
    limits[name] = limit
  }
  return limits
}

const nouns: Readonly<Record<keyof RequestLimits, string>> = {
  messages: 'messages',
  callsPerTurn: 'calls',
  resultsPerTurn: 'results',
  tools: 'tools',
  partsPerMessage: 'parts',
}

/** Throws `limit_exceeded` for the first list that is too long. `options` is where the limits are set, such as `limits`. */
export function checkRequestLimits(
  { messages, tools = [] }: Pick<CompletionRequest, 'messages' | 'tools'>,
  limits: RequestLimits,
  options: string,
): void {
  const check = (name: keyof RequestLimits, path: string, count: number): void => {
    if (count > limits[name]) throw limitExceeded(name, path, count, limits, options)
  }
  check('messages', '/messages', messages.length)
  check('tools', '/tools', tools.length)
  messages.forEach((message, index) => {
    checkMessage(message, `/messages/${index}`, check)
  })
}

function checkMessage(
  message: Message,
  path: string,
  check: (name: keyof RequestLimits, path: string, count: number) => void,
): void {
  if (message.role !== 'tool') {
    check('partsPerMessage', `${path}/content`, message.content.length)
    if (message.role === 'assistant') check('callsPerTurn', `${path}/content`, countCalls(message))
    return
  }
  check('resultsPerTurn', `${path}/results`, message.results.length)
  message.results.forEach(({ content }, index) => {
    check('partsPerMessage', `${path}/results/${index}/content`, content.length)
  })
}

function countCalls({ content }: AssistantMessage): number {
  let count = 0
  for (const part of content) if (isCall(part)) count += 1
  return count
}

/** `options` is where the limits are set. */
export function limitExceeded(
  name: keyof RequestLimits,
  path: string,
  count: number,
  limits: RequestLimits,
  options: string,
): ToolwireError {
  const limit = limits[name]
  const message = `${path} has ${count} ${nouns[name]}, and the limit is ${limit}; raise ${options}.${name} if you need more`
  return new ToolwireError('limit_exceeded', message, { detail: { path, count, limit, option: `${options}.${name}` } })
}
