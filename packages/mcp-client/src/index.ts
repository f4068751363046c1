export {
  type CallWatch,
  type Deadline,
  type Elicitation,
  type ListProblem,
  type McpConnection,
  type ServerResource,
  type ServerTool,
  startDeadline,
  textOfParts,
  textOfResult,
} from './connection.ts'
export { beginMcpLogin, issuedTokens, type McpLogin, McpLoginError, type McpLogins, renewMcpLogin } from './login.ts'
export { type McpPatience, usualPatience } from './open-server.ts'
export { McpServer } from './server.ts'
export { createMcpServers, type McpLease, type McpServers } from './servers.ts'
export { type McpLaunch, type McpSettings, mcpSettings, type NamedTool, offeredNames } from './settings.ts'
export { assertUnchanged, type ProgramPlace, type StdioLaunch, withoutSandbox } from './start-program.ts'
