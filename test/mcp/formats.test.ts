// Formats in the tools of a server: checked when the program asks for it, before anything is sent.
import { expect, test } from 'vitest'
import { connectMcp } from '../../src/mcp/connect.js'
import { serveMcp } from '../../src/mcp/serve.js'
import { formats } from '../../src/schema/formats/index.js'
import { importTool } from '../../src/tools/import-tool.js'

const inputSchema = { type: 'object', properties: { date: { type: 'string', format: 'date' } } }

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
