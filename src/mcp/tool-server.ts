// Tools as the MCP server of one client. Every call goes through the executor: checks, policy, limits and audit hold as anywhere.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  type Tool as ListedTool,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { ResultPart, ToolCall, ToolResult } from '../conversation/messages.js'
import { displayJson } from '../json/display.js'
import { isJsonObject, parseJson } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value, ValueObject } from '../json/types.js'
import type { Checked } from '../schema/issue.js'
import { ToolExecutor } from '../tools/execute.js'
import type { ExecuteOptions } from '../tools/executor-options.js'
import { blocksOf, isMcpBlock } from '../tools/mcp-content.js'
import type { ToolSource } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { identity } from './identity.js'

/** What a server says of itself. */
export interface ServerFacts {
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** How clients should use the tools. */
  readonly instructions?: string | undefined
}

/** The tools of all clients of one service, with one budget for each tool. */
export class ToolService {
  readonly #tools: ToolSource
  readonly #executor: ToolExecutor
  /** What a tool with an output schema returned, by the call. */
  readonly #outputs = new WeakMap<ToolCall, unknown>()

  constructor(tools: ToolSource, options: ExecuteOptions) {
    this.#tools = tools
    const get = (name: string): AnyTool | undefined => {
      const tool = tools.get(name)
      return tool?.checkOutput === undefined ? tool : this.#remembering(tool, tool.checkOutput)
    }
    this.#executor = new ToolExecutor({ get, list: () => tools.list() }, options)
  }

  /** A server for one client. */
  server({ name = identity.name, version = identity.version, instructions }: ServerFacts): Server {
    const capabilities = { tools: { listChanged: true } }
    const server = new Server(
      { name, version },
      instructions === undefined ? { capabilities } : { capabilities, instructions },
    )
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.#tools.list().map(listedTool) }))
    server.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }, { signal, requestId, _meta, sendNotification }) => {
        const text = stringifyJson((params.arguments ?? {}) as ValueObject)
        const call: ToolCall = { type: 'tool_call', id: String(requestId), name: params.name, arguments: text }
        const token = _meta?.progressToken
        let isOver = false
        const onProgress: ExecuteOptions['onProgress'] = (_call, update) => {
          if (token === undefined || isOver) return
          const progress = { method: 'notifications/progress', params: { ...update, progressToken: token } } as const
          // A client that went away is noticed by the connection.
          sendNotification(progress).catch(() => {})
        }
        const [result] = await this.#executor.execute([call], { signal, onProgress })
        isOver = true
        return result === undefined ? { content: [] } : this.#answer(call, result)
      },
    )
    return server
  }

  #answer(call: ToolCall, result: ToolResult): CallToolResult {
    if (result.isError) return { content: result.content.flatMap(blockOf), isError: true }
    const structuredContent = this.#structured(call, result)
    const meta = result.artifacts?._meta
    return {
      content: contentOf(result),
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(isJsonObject(meta) ? { _meta: meta } : {}),
    }
  }

  /** A tool that passes an MCP result on gives its structured content; any other, what it returned. */
  #structured(call: ToolCall, { artifacts, name }: ToolResult): Record<string, unknown> | undefined {
    const passedOn = artifacts?.structuredContent
    if (isJsonObject(passedOn)) return passedOn
    const tool = this.#tools.get(name)
    if (tool === undefined || !hasObjectOutput(tool)) return undefined
    const value: Value = parseJson(displayJson(this.#outputs.get(call)))
    return isJsonObject(value) ? value : undefined
  }

  /** The same tool; its checked output is kept for the client, who wants the value beside the text. */
  #remembering(tool: AnyTool, checkOutput: NonNullable<AnyTool['checkOutput']>): AnyTool {
    return {
      ...tool,
      checkInput: (args) => tool.checkInput(args),
      execute: async (input, context): Promise<Checked<unknown>> => {
        const checked = await checkOutput(await tool.execute(input, context))
        if (checked.ok) this.#outputs.set(context.call, checked.value)
        return checked
      },
      checkOutput: (checked) => checked as Checked<unknown>,
    }
  }
}

function listedTool(tool: AnyTool): ListedTool {
  const { name, description, spec, outputSchema, annotations } = tool
  const inputSchema = { ...spec.inputSchema, type: 'object' } as ListedTool['inputSchema']
  return {
    name,
    ...(description === '' ? {} : { description }),
    inputSchema,
    ...(annotations === undefined ? {} : { annotations: annotations as NonNullable<ListedTool['annotations']> }),
    ...(hasObjectOutput(tool) ? { outputSchema: outputSchema as ListedTool['outputSchema'] } : {}),
  }
}

/** MCP knows structured content that is an object only. */
function hasObjectOutput({ outputSchema }: AnyTool): boolean {
  return outputSchema?.type === 'object'
}

/**
 * The blocks of an MCP result as its tool gave them: sounds, resources, links and annotations too. Where its text was cut, what
 * is left of it, and the blocks that are neither text nor image.
 */
function contentOf(result: ToolResult): CallToolResult['content'] {
  const blocks = blocksOf(result)
  if (blocks !== undefined) return blocks as unknown as CallToolResult['content']
  const others = result.artifacts?.content
  const kept = Array.isArray(others) ? others.filter(isMcpBlock) : []
  return [...result.content.flatMap(blockOf), ...(kept as unknown as CallToolResult['content'])]
}

function blockOf(part: ResultPart): CallToolResult['content'] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image':
    case 'file': {
      const { data, url, mediaType = part.type === 'image' ? 'image/png' : 'application/octet-stream' } = part
      if (data === undefined) return url === undefined ? [] : [{ type: 'resource_link', uri: url, name: url }]
      if (part.type === 'image') return [{ type: 'image', data, mimeType: mediaType }]
      const uri = `file:///${encodeURIComponent(part.name ?? 'file')}`
      return [{ type: 'resource', resource: { uri, blob: data, mimeType: mediaType } }]
    }
    case 'opaque':
      return []
  }
}
