// What a tool throws, and the text the model reads of it.
import { hasBrand, ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import { type ToolErrorCategory, type ToolFailure, toolErrorCategories } from './messages.js'

const brand = Symbol.for('toolwire.tool_execution_error')

/** What a tool throws to tell the model, in words it chose, what went wrong. Any other throw is redacted first. */
export class ToolExecutionError extends ToolwireError {
  readonly category: ToolErrorCategory
  declare readonly details?: { readonly [key: string]: string }

  constructor(
    category: ToolErrorCategory,
    message: string,
    options: { readonly details?: { readonly [key: string]: string } | undefined; readonly cause?: unknown } = {},
  ) {
    if (!toolErrorCategories.includes(category)) {
      const known = toolErrorCategories.join(', ')
      throw new ToolwireError('misuse', `"${String(category)}" is not a category of failed tools; use one of ${known}`)
    }
    super('tool_failed', message, { cause: options.cause, retryable: false })
    this.name = 'ToolExecutionError'
    this.category = category
    if (options.details !== undefined) this.details = options.details
    Object.defineProperty(this, brand, { value: true })
  }

  static override is(value: unknown): value is ToolExecutionError {
    return hasBrand(value, brand)
  }

  override toJSON(): JsonObject {
    const { category, details } = this
    return { ...super.toJSON(), category, ...(details === undefined ? {} : { details: { ...details } }) }
  }

  /** The text the model reads. */
  toModelText(): string {
    return toModelText(this)
  }
}

/** `Tool execution failed (<category>): <message>`, then the details on a second line when there are any. */
export function toModelText(failure: ToolFailure): string {
  const details = Object.entries(failure.details ?? {}).map(([key, value]) => `${key}: ${value}`)
  const text = `Tool execution failed (${failure.category}): ${failure.message}`
  return details.length === 0 ? text : `${text}\nDetails: ${details.join(', ')}`
}
