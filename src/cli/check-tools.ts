// `toolwire check-tools`: tool definitions of any dialect → the canonical tool, and what each wire would lose of it.
import type { Loss } from '../conversation/losses.js'
import { type Wire, wires } from '../conversation/messages.js'
import { isJsonObject } from '../json/parse.js'
import { importTool } from '../tools/import-tool.js'
import { wireEnv } from './answers.js'
import type { Answer, Line } from './lines.js'

export function checkToolLine({ record }: Line): Answer {
  const { tool, notes } = importTool(isJsonObject(record.tool) ? record.tool : record)
  const losses: Partial<Record<Wire, readonly Loss[]>> = {}
  for (const wire of wires) {
    const { codec, env } = wireEnv({ wire })
    const user = { role: 'user', content: [{ type: 'text', text: 'hello' }] } as const
    const request = { model: 'any', messages: [user], tools: [tool.spec] }
    const encoded = codec.request.encode(request, { stream: false }, env)
    losses[wire] = encoded.losses.filter((loss) => loss.path.startsWith('/tools'))
  }
  return { ok: true, tool: tool.spec, notes: notes, losses }
}
