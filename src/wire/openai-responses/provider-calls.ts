// Calls that the provider makes and answers itself, in the form of a client's calls.
// quirk(xai): its server-side tools make items of the type `custom_tool_call`, which don't say who runs them. The tools that the request
// declares, and that answers repeat, decide; test/streams/openai-responses-server-side-custom-call.sse
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

export interface DeclaredTools {
  /** The names of the custom tools, which the client runs. */
  readonly custom: Set<string>
  /** Whether there are tools that the provider runs. */
  hosted: boolean
}

/** Adds the tools of a list, also those in a namespace. */
export function addTools(declared: DeclaredTools, tools: Json | readonly JsonObject[] | undefined): void {
  if (!Array.isArray(tools)) return
  for (const tool of tools as readonly Json[]) {
    if (!isJsonObject(tool)) continue
    if (tool.type === 'custom' && typeof tool.name === 'string') declared.custom.add(tool.name)
    else if (Array.isArray(tool.tools)) addTools(declared, tool.tools)
    else if (tool.type !== 'function' && typeof tool.type === 'string') declared.hosted = true
  }
}

/** Whether an item is such a call: of a custom tool that nobody declared, where the provider has tools of its own. */
export function isProviderCall(item: JsonObject, { custom, hosted }: DeclaredTools): boolean {
  return item.type === 'custom_tool_call' && hosted && !(typeof item.name === 'string' && custom.has(item.name))
}
