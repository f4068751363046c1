export {
  type CallWatch,
  type Elicitation,
  type McpConnection,
  type ServerResource,
  type ServerTool,
  textOfParts,
  textOfResult,
} from './connection.ts'
export { type Deadline, startDeadline } from './deadline.ts'
export { type McpPatience, usualPatience } from './open-server.ts'
export { McpServer } from './server.ts'
export { createMcpServers, type McpLease, type McpServers } from './servers.ts'
export { type McpLaunch, mcpSettings } from './settings.ts'
export { type NamedTool, offeredNames } from './tool-names.ts'
