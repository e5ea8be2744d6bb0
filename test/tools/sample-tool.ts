// Tools and calls for the executor's tests, with every field open to be set wrong on purpose.
import type { BrokenCall, BrokenReason, ToolCall } from '../../src/conversation/messages.js'
import type { AnyTool, ToolContext } from '../../src/tools/tool.js'

export function sampleTool(
  name: string,
  execute: (input: Readonly<Record<string, unknown>>, context: ToolContext) => unknown,
  fields: Partial<AnyTool> = {},
): AnyTool {
  return {
    name,
    description: `The sample tool ${name}`,
    spec: { name, description: `The sample tool ${name}`, inputSchema: { type: 'object' } },
    capabilities: [],
    source: 'local',
    repeatable: false,
    digest: `digest of ${name}`,
    checkInput: (args) => ({ ok: true, value: args }),
    execute,
    ...fields,
  }
}

export function sampleCall(name: string, args: unknown = {}, id = `call_${name}`): ToolCall {
  return { type: 'tool_call', id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}

export function sampleBroken(name: string, reason: BrokenReason, text: string): BrokenCall {
  return { type: 'broken_call', id: `call_${name}`, name, arguments: text, reason }
}

export function later<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value))
}

/** Never settles and listens to nobody. */
export function forever(): Promise<never> {
  return new Promise(() => {})
}

export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
