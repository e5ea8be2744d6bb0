// The schemas of a server's tools: formats when the program asks for them, and results whatever dialect their schema names.
import { expect, test } from 'vitest'
import { connectMcp } from '../../src/mcp/connect.js'
import { serveMcp } from '../../src/mcp/serve.js'
import { formats } from '../../src/schema/formats/index.js'
import { importTool } from '../../src/tools/import-tool.js'
import type { AnyTool } from '../../src/tools/tool.js'

const inputSchema = { type: 'object', properties: { date: { type: 'string', format: 'date' } } }

test('a result is checked although its schema names a dialect that nobody knows', async () => {
  const outputSchema = {
    $schema: 'https://example.com/dialect',
    type: 'object',
    properties: { count: { type: 'integer' } },
  } as const
  const { tool } = importTool(
    { name: 'count', inputSchema: { type: 'object' } },
    { execute: () => ({ count: 'many' }) },
  )
  const untruthful: AnyTool = { ...tool, outputSchema, checkOutput: (value) => ({ ok: true, value }) }
  const service = await serveMcp([untruthful], { transport: 'http' })
  const servers = await connectMcp({ numbers: { url: String(service.url) } })
  try {
    const [first] = servers.servers.get('numbers')?.tools ?? []
    expect((await first?.tool.checkOutput?.({ content: [], structuredContent: { count: 1 } }))?.ok).toBe(true)
    expect((await first?.tool.checkOutput?.({ content: [], structuredContent: { count: 'many' } }))?.ok).toBe(false)
  } finally {
    await servers.close()
    await service.close()
  }
})

test('a format in the schema of a remote tool is checked with formats only', async () => {
  const service = await serveMcp([importTool({ name: 'book', inputSchema }, { execute: () => 'booked' }).tool], {
    transport: 'http',
  })
  const url = String(service.url)
  const servers = await connectMcp({ plain: { url }, strict: { url, formats } })
  try {
    const verdictOf = async (server: string): Promise<boolean | undefined> => {
      const [first] = servers.servers.get(server)?.tools ?? []
      return (await first?.tool.checkInput({ date: 'tomorrow' }))?.ok
    }
    expect(await verdictOf('plain')).toBe(true)
    expect(await verdictOf('strict')).toBe(false)
  } finally {
    await servers.close()
    await service.close()
  }
})
