// `toolwire generate`: one request, answered with a value that fits a JSON Schema.
import { readFile } from 'node:fs/promises'
import { ToolwireError } from '../errors/error.js'
import { generate } from '../generate/generate.js'
import type { GenerateResult } from '../generate/result.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Writable } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import { approver, askAlways } from './approval.js'
import { jsonLine } from './lines.js'
import type { ModelFlags } from './models.js'
import { type ExitCode, errorLine, exitCodes, thrownCode } from './outcome.js'
import { promptOf } from './run.js'
import { openModel } from './session.js'
import type { Terminal } from './terminal.js'
import { loadToolFiles } from './tool-files.js'

export interface GenerateFlags extends ModelFlags {
  readonly schema: string
  readonly name?: string | undefined
  readonly tools?: readonly string[] | undefined
  readonly demoTools?: boolean | undefined
  readonly approve?: 'all' | 'none' | undefined
  readonly system?: string | undefined
  readonly retries?: number | undefined
  readonly maxCalls?: number | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
  readonly json?: boolean | undefined
}

export async function generateCommand(
  words: readonly string[],
  flags: GenerateFlags,
  terminal: Terminal,
  input: Parameters<typeof promptOf>[1],
): Promise<ExitCode> {
  const prompt = await promptOf(words, input)
  const schema = await readSchema(flags.schema)
  const own = await loadToolFiles(flags.tools ?? [])
  const demo = flags.demoTools === true ? (await import('./demo-tools.js')).demoToolsBeside(own) : []
  const { model, close } = await openModel(flags, terminal)
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  process.on('SIGINT', interrupt)
  try {
    const result = await generate({
      model,
      schema,
      prompt,
      tools: [...own, ...demo],
      name: flags.name,
      system: flags.system,
      maxOutputRetries: flags.retries,
      maxCalls: flags.maxCalls,
      timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      policy: askAlways,
      approve: approver({ mode: flags.approve ?? 'none', trusted: new Set() }),
      signal: controller.signal,
    })
    tell(result, flags, terminal)
    return exitCodes.answered
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    if (flags.json === true) write(terminal, { error: error.toJSON() })
    terminal.say(`toolwire: ${errorLine(error)}`)
    return codeOf(error)
  } finally {
    process.off('SIGINT', interrupt)
    await close()
  }
}

function tell(result: GenerateResult<unknown>, { json }: GenerateFlags, terminal: Terminal): void {
  const { value, rung, calls, repairs, usage } = result
  const told = value as Writable
  write(terminal, json === true ? ({ value: told, rung, calls, repairs, usage } as unknown as Writable) : told)
  if (json === true) return
  const again = repairs.length === 0 ? '' : `, ${repairs.length} put right`
  terminal.say(terminal.paint('dim', `${rung}, ${calls} ${calls === 1 ? 'answer' : 'answers'} of the model${again}`))
}

function write({ output }: Terminal, value: Writable): void {
  output.write(jsonLine(value))
}

function codeOf(error: ToolwireError): ExitCode {
  switch (error.code) {
    case 'limit_exceeded':
      return exitCodes.stopped
    case 'aborted':
      return exitCodes.interrupted
    default:
      return thrownCode(error)
  }
}

async function readSchema(path: string): Promise<JsonObject> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new ToolwireError('misuse', `cannot read the schema "${path}"; give the path of a JSON file`, { cause })
  }
  try {
    const schema = parseBody(text)
    if (isJsonObject(schema)) return schema
  } catch (cause) {
    const reason = ToolwireError.is(cause) ? cause.message : 'it cannot be read'
    throw new ToolwireError('misuse', `"${path}" is no JSON: ${reason}`, { cause })
  }
  throw new ToolwireError('misuse', `"${path}" is no JSON Schema; it must hold one JSON object`)
}
