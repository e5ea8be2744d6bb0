// The coded error that an attempt ends with.
import { ToolwireError } from '../../src/errors/error.js'

export async function failureOf(attempt: Promise<unknown> | (() => unknown)): Promise<ToolwireError> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt)
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('did not fail')
}
