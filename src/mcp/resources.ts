// What a server offers to read, as context for a conversation: listed, and read as parts of a user message.
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import type { UserPart } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Ask } from './ask.js'
import { listAll } from './listing.js'

/** Something a server lets read. */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mediaType?: string
}

export async function listResources(ask: Ask): Promise<readonly McpResource[]> {
  const listed = await answered('resources/list', listAll(ask, 'resources/list', 'resources'))
  return listed.flatMap((item) => {
    if (!isJsonObject(item) || typeof item.uri !== 'string') return []
    const { uri, name, description, mimeType } = item
    return {
      uri,
      name: typeof name === 'string' ? name : uri,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof mimeType === 'string' ? { mediaType: mimeType } : {}),
    }
  })
}

/** Text as text, images as images, anything else as a file. */
export async function readResource(ask: Ask, uri: string, signal?: AbortSignal): Promise<readonly UserPart[]> {
  const { contents } = await answered(uri, ask({ method: 'resources/read', params: { uri } }, { signal }))
  if (!Array.isArray(contents)) {
    throw new ToolwireError('malformed_response', `the server answered for "${uri}" without contents`)
  }
  return contents.flatMap(partOf)
}

function partOf(content: unknown): readonly UserPart[] {
  if (!isJsonObject(content)) return []
  const { text, blob, mimeType, uri } = content
  if (typeof text === 'string') return [{ type: 'text', text }]
  if (typeof blob !== 'string') return []
  const mediaType = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  if (mediaType.startsWith('image/')) return [{ type: 'image', mediaType, data: blob }]
  return [{ type: 'file', mediaType, data: blob, ...(typeof uri === 'string' ? { name: uri } : {}) }]
}

/** An error that the server answered with, as a coded one. */
async function answered<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    // -32002 is the protocol's word for a resource that is not there; many servers call it a wrong parameter.
    const code = error.code === -32002 || error.code === -32602 ? 'not_found' : 'server_error'
    throw new ToolwireError(code, `the server cannot give "${what}": ${error.message}`, { cause: error })
  }
}
