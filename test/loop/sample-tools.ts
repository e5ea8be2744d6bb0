// Tools that do what a test needs: answer, count, fail, or never end.
import { tool } from '../../src/tools/define.js'
import type { AnyTool } from '../../src/tools/tool.js'

const input = { type: 'object' } as const

/** Says back its arguments as text. */
export const echo: AnyTool = tool({
  name: 'echo',
  description: 'Says back what it was given',
  input,
  execute: (_, context) => context.call.arguments,
})

export const fail: AnyTool = tool({
  name: 'fail',
  description: 'Fails whenever it is called',
  input,
  execute: () => {
    throw new Error('no')
  },
})

/** Never ends and does not listen to its signal. */
export const hang: AnyTool = tool({
  name: 'hang',
  description: 'Never gives an answer at all',
  input,
  execute: () => new Promise<never>(() => {}),
})

/** A tool that remembers the calls it ran. */
export function recorder(name = 'record'): { readonly tool: AnyTool; readonly ran: readonly string[] } {
  const ran: string[] = []
  const made = tool({
    name,
    description: 'Remembers the calls it ran',
    input,
    execute: (_, context) => {
      ran.push(context.call.id)
      return `ran ${context.call.id}`
    },
  })
  return { tool: made, ran }
}
