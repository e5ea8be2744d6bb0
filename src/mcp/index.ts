// The door `toolwire/mcp`: MCP servers as tools, and tools as an MCP server. Runs on Node.
export { mcpServersOf } from './config.js'
export { type ConnectOptions, connectMcp, type McpServer, type McpServers } from './connect.js'
export type { McpProblem, McpTool } from './remote-tools.js'
export type { McpResource } from './resources.js'
export { type McpService, type ServeOptions, serveMcp } from './serve.js'
export type { HttpServerSpec, McpServerSpec, StdioServerSpec } from './server-spec.js'
