// Conversations both ways. Nothing is lost on the way to LangChain and back, also through its own stored form; from messages
// that others made, what has no canonical place is dropped and reported.
import {
  type BaseMessage,
  HumanMessage,
  AIMessage as LangChainAnswer,
  ToolMessage as LangChainResult,
  SystemMessage,
} from '@langchain/core/messages'
import { assertNever } from '../conversation/events.js'
import { at, type Loss } from '../conversation/losses.js'
import {
  type AnyCall,
  isCall,
  type Message,
  type SystemMessage as System,
  type ToolMessage,
  type ToolResult,
  type UserMessage,
  type UserPart,
} from '../conversation/messages.js'
import { decodeMessage } from '../conversation/stored.js'
import type { JsonObject } from '../json/types.js'
import { type Block, readBlock, writeBlock } from './blocks.js'
import { type Kwargs, kwargsOf, notesOf, type Pair, type Restorer, restorerOf } from './notes.js'
import { readResult, writeResult } from './results.js'
import { readTurn } from './turn-reading.js'
import { writeTurn } from './turn-writing.js'

/** A loss without a wire: LangChain's messages are none. */
export type MessageLoss = Omit<Loss, 'wire'>

/** Messages for LangChain. Losses point into `messages` as they were given. */
export function toLangChainMessages(messages: readonly Message[]): {
  readonly messages: BaseMessage[]
  readonly losses: readonly MessageLoss[]
} {
  const written: BaseMessage[] = []
  const losses: MessageLoss[] = []
  messages.forEach((message, index) => {
    if (message.role === 'tool' && message.results.length === 0) {
      losses.push(dropped('results_empty', at('', index), 'LangChain has no message for results of no call'))
    }
    const last = written.at(-1)
    for (const one of writeMessage(message, last !== undefined && LangChainResult.isInstance(last))) written.push(one)
  })
  return { messages: written, losses }
}

function writeMessage(message: Message, follows: boolean): readonly BaseMessage[] {
  switch (message.role) {
    case 'system':
      return [new SystemMessage(fieldsOf(message))]
    case 'user':
      return [new HumanMessage(fieldsOf(message))]
    case 'assistant':
      return [writeTurn(message)]
    case 'tool':
      return writeResults(message, follows)
    default:
      return assertNever(message)
  }
}

function writeResults({ role: _, results, ...own }: ToolMessage, follows: boolean): readonly BaseMessage[] {
  const message = own as unknown as JsonObject
  return results.map((result, index) =>
    index === 0 ? writeResult(result, { message, ...(follows ? { begins: true } : {}) }) : writeResult(result),
  )
}

function fieldsOf(message: System | UserMessage): { content: string | Block[]; additional_kwargs: Kwargs } {
  const { role: _, content, ...own } = message
  const [first] = content
  const blocks = content.map(writeBlock)
  const notes = notesOf(content.map((part, index): Pair => [readBlock(blocks[index]) ?? {}, part]))
  return {
    content: first?.type === 'text' && content.length === 1 ? first.text : blocks,
    additional_kwargs: kwargsOf({ notes, message: own as unknown as JsonObject }),
  }
}

/** A conversation out of LangChain's messages. Losses point into the list as it was given. */
export function fromLangChainMessages(messages: readonly BaseMessage[]): {
  readonly messages: readonly Message[]
  readonly losses: readonly MessageLoss[]
} {
  const read: Message[] = []
  const losses: MessageLoss[] = []
  const calls = new Map<string, AnyCall>()
  messages.forEach((message, index) => {
    const path = at('', index)
    if (LangChainResult.isInstance(message)) {
      addResult(read, message, calls, path, losses)
      return
    }
    const next = readMessage(message, index, path, losses)
    if (next === undefined) return
    if (next.role === 'assistant') for (const call of next.content.filter(isCall)) calls.set(call.id, call)
    read.push(next)
  })
  return { messages: read.map((message, index) => decodeMessage(message, at('', index))), losses }
}

/** Results that follow each other answer one turn, and are one message. */
function addResult(
  read: Message[],
  message: LangChainResult,
  calls: ReadonlyMap<string, AnyCall>,
  path: string,
  losses: MessageLoss[],
): void {
  const { message: own, begins } = restorerOf(message.additional_kwargs)
  const { result, dropped: lost } = readResult(message, calls)
  for (const loss of lost.map((place) => droppedBlock(path, place))) losses.push(loss)
  const last = read.at(-1)
  if (last?.role !== 'tool' || begins) {
    read.push({ ...own, role: 'tool', results: [result] })
    return
  }
  ;(last.results as ToolResult[]).push(result) // the list was made here
}

function readMessage(message: BaseMessage, position: number, path: string, losses: MessageLoss[]): Message | undefined {
  if (LangChainAnswer.isInstance(message)) {
    const turn = readTurn(message, position)
    for (const loss of turn.dropped.map((place) => droppedBlock(path, place))) losses.push(loss)
    return { ...turn.message, role: 'assistant', content: turn.slots.map(({ part }) => part) }
  }
  const role = roleOf(message)
  if (role === undefined) {
    const told = `a message of the type "${message.type}" is not part of a conversation`
    losses.push(dropped('message_dropped', path, told))
    return undefined
  }
  if (message.name !== undefined) {
    losses.push(dropped('name_dropped', at(path, 'name'), 'a conversation does not name its speakers'))
  }
  const restorer = restorerOf(message.additional_kwargs)
  const content = readContent(message.content, restorer, path, losses)
  if (role === 'assistant') return { role, content: content.filter((part) => part.type === 'text') }
  if (role === 'user') return { ...restorer.message, role, content }
  return { ...restorer.message, role, content: content.filter((part) => part.type === 'text') }
}

/** Who speaks. A message of a role of its own counts by that role when it is one of ours. */
function roleOf(message: BaseMessage): 'system' | 'user' | 'assistant' | undefined {
  const role: unknown = 'role' in message ? message.role : undefined
  switch (message.type === 'generic' || message.type === 'developer' ? role : message.type) {
    case 'human':
    case 'user':
      return 'user'
    case 'system':
    case 'developer':
      return 'system'
    case 'ai':
    case 'assistant':
      return 'assistant'
    default:
      return undefined
  }
}

function readContent(content: unknown, { restore }: Restorer, path: string, losses: MessageLoss[]): UserPart[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block, place): readonly UserPart[] => {
    const part = readBlock(block)
    if (part !== undefined) return [restore(part)]
    losses.push(droppedBlock(path, place))
    return []
  })
}

function droppedBlock(path: string, place: number): MessageLoss {
  return dropped('block_dropped', at(at(path, 'content'), place), 'a content block of this kind has no canonical form')
}

function dropped(code: string, path: string, message: string): MessageLoss {
  return { code, path, kind: 'dropped', message }
}
