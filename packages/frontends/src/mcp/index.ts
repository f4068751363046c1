export { type McpParts, serveMcp } from './serve-mcp.ts'
export { StdioTransport } from './stdio-transport.ts'
