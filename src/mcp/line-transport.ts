// One JSON message per line over two streams: the stdio transport of MCP, the same for both ends. Trap: programs print other
// things on their standard output too; a line that is no message is reported and passed over.
import type { Readable, Writable as WritableStream } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { ToolwireError } from '../errors/error.js'
import { splitLines } from '../frames/lines.js'
import { readText } from '../frames/text.js'
import { parseJson } from '../json/parse.js'
import { type Writable, writeJson } from '../json/stringify.js'
import { createTooLongError, defaultMaxMessageBytes } from './message-limit.js'

/** Integers beyond ±(2^53−1) keep their digits both ways. Closing it leaves the streams open: they are somebody else's. */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: WritableStream
  readonly #maxMessageBytes: number
  readonly #text: ReturnType<typeof readText>
  readonly #lines: (piece: string) => void
  /** The lines that the last bytes completed. */
  #complete: string[] = []
  #closed = false

  /** A longer message ends the connection. */
  constructor(input: Readable, output: WritableStream, maxMessageBytes: number = defaultMaxMessageBytes) {
    this.#input = input
    this.#output = output
    this.#maxMessageBytes = maxMessageBytes
    const limits = { lineBytes: maxMessageBytes, totalBytes: Number.POSITIVE_INFINITY }
    this.#text = readText(limits)
    this.#lines = splitLines(limits, (text, from) => {
      this.#complete.push(...text.slice(from, text.lastIndexOf('\n') + 1).split('\n'))
    })
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#take).on('end', this.#end).on('close', this.#end).on('error', this.#fail)
    this.#output.on('error', this.#fail)
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed || !this.#output.writable) {
        reject(new Error('the other end is gone'))
        return
      }
      const line = `${writeJson(message as unknown as Writable)}\n`
      this.#output.write(line, (error) => (error ? reject(error) : resolve()))
    })
  }

  async close(): Promise<void> {
    this.#end()
  }

  readonly #end = (): void => {
    if (this.#closed) return
    this.#closed = true
    this.#input.off('data', this.#take).off('end', this.#end).off('close', this.#end)
    // The listeners for errors stay: a stream that fails after this must not end the process.
    this.#input.pause()
    this.onclose?.()
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error)
    this.#end()
  }

  readonly #take = (bytes: Uint8Array): void => {
    this.#complete = []
    try {
      this.#lines(this.#text.push(bytes))
    } catch (error) {
      const isTooLong = ToolwireError.is(error) && error.code === 'limit_exceeded'
      this.#fail(isTooLong ? createTooLongError(this.#maxMessageBytes) : (error as Error))
      return
    }
    for (const line of this.#complete) if (line.trim() !== '' && !this.#closed) this.#read(line)
  }

  #read(line: string): void {
    if (line.length > this.#maxMessageBytes) {
      this.#fail(createTooLongError(this.#maxMessageBytes)) // it came in one piece, and was never waited for
      return
    }
    let message: JSONRPCMessage
    try {
      message = parseJson(line) as unknown as JSONRPCMessage
    } catch (error) {
      this.onerror?.(error as Error)
      return
    }
    // What is JSON but no message is found by the protocol, which reports it.
    this.onmessage?.(message)
  }
}
