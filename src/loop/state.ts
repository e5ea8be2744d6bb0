// A run that waits for approval, as plain JSON: what was said and done, and which calls wait. It is stored and comes back as
// hostile data; an approval counts only for the call id and the very arguments that were shown.

import { at } from '../conversation/losses.js'
import type { AnyCall, Message, ToolResult } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import { decodeConversation, decodeResult } from '../conversation/stored.js'
import {
  type Field,
  type Fields,
  fieldsAt,
  listAt,
  type Reading,
  refuse,
  startReading,
  textAt,
} from '../conversation/stored-fields.js'
import { addUsage, type Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import { digest } from '../json/digest.js'
import type { Approve } from '../tools/policy.js'

/** A call that waits. `digest` is that of the arguments as they will run. */
export interface PendingCall {
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly digest: string
  /** The position among the calls of its turn. */
  readonly ordinal: number
}

/** Give it to `run({ resume })` with the `approvals`. Plain JSON. */
export interface RunState {
  readonly version: 1
  readonly runId: string
  readonly turn: number
  /** How many times the run was resumed within this turn. */
  readonly resumes: number
  readonly calls: number
  readonly usage: Usage
  /** The history up to the answer whose calls wait. */
  readonly messages: readonly Message[]
  /** What the other calls of that answer gave. */
  readonly results: readonly { readonly ordinal: number; readonly result: ToolResult }[]
  readonly pending: readonly PendingCall[]
}

/** `{ allow }` names the digest that was shown: safer when the state went through other hands. */
export type ApprovalAnswer = 'allow' | { readonly allow: string } | { readonly deny: string }
/** Answers to calls that wait, by the id of the call. */
export type Approvals = { readonly [callId: string]: ApprovalAnswer }

/** The calls of the answer that waits. */
export function callsOf(state: RunState): readonly AnyCall[] {
  const last = state.messages.at(-1)
  return last?.role === 'assistant' ? last.content.filter(isCall) : []
}

export function decodeState(json: unknown): RunState {
  const fields = fieldsAt(json, '')
  const version = fields.take('version')
  if (version.value !== 1) return refuse(version, 'must be 1; the state is of another version of this library')
  const reading = startReading()
  const state: RunState = {
    version: 1,
    runId: textAt(fields.take('runId'), reading),
    turn: countAt(fields.take('turn')),
    resumes: countAt(fields.take('resumes')),
    calls: countAt(fields.take('calls')),
    usage: usageAt(fields.take('usage')),
    messages: decodeConversation(fields.take('messages').value),
    results: listOf(fields, 'results', (item) => {
      const result = item.take('result')
      return { ordinal: countAt(item.take('ordinal')), result: decodeResult(result.value, result.path) }
    }),
    pending: listOf(fields, 'pending', (item) => pendingAt(item, reading)),
  }
  fields.end()
  checkOrdinals(state)
  return state
}

/** A call that waits, as it was stored. */
export function decodePending(json: unknown): PendingCall {
  const fields = fieldsAt(json, '')
  const pending = pendingAt(fields, startReading())
  fields.end()
  return pending
}

function pendingAt(fields: Fields, reading: Reading): PendingCall {
  return {
    callId: textAt(fields.take('callId'), reading),
    name: textAt(fields.take('name'), reading),
    arguments: textAt(fields.take('arguments'), reading),
    digest: textAt(fields.take('digest'), reading),
    ordinal: countAt(fields.take('ordinal')),
  }
}

/** Each call of the waiting answer is either answered or pending, once. */
function checkOrdinals(state: RunState): void {
  const calls = callsOf(state)
  const ordinals = [...state.results, ...state.pending].map((entry) => entry.ordinal).toSorted((a, b) => a - b)
  const complete = ordinals.length === calls.length && ordinals.every((ordinal, index) => ordinal === index)
  const named =
    state.pending.every(
      ({ ordinal, callId, name }) => calls[ordinal]?.id === callId && calls[ordinal]?.name === name,
    ) && state.results.every(({ ordinal, result }) => calls[ordinal]?.id === result.callId)
  if (!complete || !named || state.pending.length === 0) {
    refuse({ value: state, path: '/pending' }, 'does not match the calls of the last message')
  }
}

/** Refuses approvals that would do nothing, or that do not say which of two calls they mean. */
export function checkApprovals(
  approvals: Approvals,
  pending: readonly PendingCall[],
): ReadonlyMap<string, ApprovalAnswer> {
  const answers = new Map(Object.entries(approvals))
  for (const [callId, answer] of answers) {
    const waiting = pending.filter((call) => call.callId === callId)
    if (waiting.length === 0) {
      throw new ToolwireError(
        'misuse',
        `no call "${callId}" waits for approval; give the state it was paused in as "resume"`,
      )
    }
    if (answer === 'allow' && new Set(waiting.map((call) => call.digest)).size > 1) {
      const message = `two calls "${callId}" with different arguments wait; approve one by its digest: { allow: digest }`
      throw new ToolwireError('misuse', message)
    }
    if (answer !== 'allow' && typeof read(answer, 'allow') !== 'string' && typeof read(answer, 'deny') !== 'string') {
      throw new ToolwireError(
        'misuse',
        `the approval of "${callId}" must be 'allow', { allow: digest } or { deny: reason }`,
      )
    }
  }
  return answers
}

/**
 * Decides about the pending calls by the answers given, and asks `otherwise` about the ones nobody answered. An approval
 * never counts for other arguments than those that were shown.
 */
export function approveFrom(
  answers: ReadonlyMap<string, ApprovalAnswer>,
  pending: readonly PendingCall[],
  otherwise: Approve | undefined,
): Approve {
  return (call, tool, context) => {
    const answer = answers.get(call.id)
    if (answer === undefined) return otherwise === undefined ? 'pause' : otherwise(call, tool, context)
    const deny = read(answer, 'deny')
    if (typeof deny === 'string') return { deny }
    const shown = digest(call.arguments)
    const known = pending.some((item) => item.callId === call.id && item.digest === shown)
    if (known && (answer === 'allow' || read(answer, 'allow') === shown)) return 'allow'
    return { deny: 'the arguments are not the ones that were approved' }
  }
}

function read(answer: unknown, key: 'allow' | 'deny'): unknown {
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, key)) return undefined
  return (answer as { readonly [K in 'allow' | 'deny']?: unknown })[key]
}

function countAt(field: Field): number {
  return Number.isSafeInteger(field.value) && (field.value as number) >= 0
    ? (field.value as number)
    : refuse(field, 'must be a whole number from 0 on')
}

function usageAt(field: Field): Usage {
  const fields = fieldsAt(field.value, field.path)
  const entries = fields.all().map(([key, amount]) => {
    const { value } = amount
    return [
      key,
      typeof value === 'number' && value >= 0 ? value : refuse(amount, 'must be a number from 0 on'),
    ] as const
  })
  return addUsage({}, Object.fromEntries(entries))
}

function listOf<T>(fields: Fields, key: string, item: (fields: Fields) => T): readonly T[] {
  const list = fields.take(key)
  return listAt(list.value, list.path, 10_000).map((entry, index) => {
    const own = fieldsAt(entry, at(list.path, index))
    const value = item(own)
    own.end()
    return value
  })
}
