import {
  type CallToolResult,
  isJSONRPCNotification,
  type JSONRPCMessage,
  type Transport as McpTransport,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
} from '@modelcontextprotocol/server'
import { errorMessage } from '@parley/text'
import { replyTool, startTool } from './tools/codex-tools.ts'
import {
  conversationCreateTool,
  conversationSendMessageTool,
  conversationStreamTool,
  conversationsListTool,
} from './tools/conversation-tools.ts'
import { failed, type McpTool, type ToolCall } from './tools/tool.ts'
import { McpSession, type SessionOptions } from './turns/session.ts'

export interface McpParts extends Omit<SessionOptions, 'server' | 'unreadBytes'> {
  readonly version: string
}

export interface ServedClient {
  /** Resolves when the client is gone and its conversations are closed. */
  readonly gone: Promise<void>
  close(): Promise<void>
}

/**
 * Serves MCP to one client until its transport closes. `unreadBytes` returns the number of bytes that the client has
 * not read yet. A transport over HTTP can close the stream of one request.
 */
export async function serveMcp(
  transport: McpTransport & { closeSSEStream?(requestId: RequestId): void },
  parts: McpParts,
  unreadBytes: () => number,
): Promise<ServedClient> {
  const { connect, home, approvalTimeoutMs, limits, report } = parts
  const server = new Server(
    { name: 'parley-mcp-server', title: 'parley', version: parts.version },
    { capabilities: { tools: {} } },
  )
  const session = new McpSession({ server, connect, home, approvalTimeoutMs, limits, unreadBytes, report })
  server.setRequestHandler('tools/list', () => ({ tools: mcpTools.map(listed) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { id: requestId, signal, _meta } = mcpReq
    const call = { session, requestId, signal, afterAnswer, progressToken: _meta?.progressToken }
    const result = await callTool(params.name, params.arguments, call)
    // A cancelled request gets no answer that would end its stream.
    if (signal.aborted) transport.closeSSEStream?.(requestId)
    return result
  })
  server.fallbackRequestHandler = ({ method }) => Promise.reject(unknownMethod(method))
  server.onerror = report
  // The SDK forgets an answered request, although its turn may still be cancelled.
  transport.onmessage = (message) => noteCancel(message, session)
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  server.onclose = () => resolve(session.close().catch(report))
  await server.connect(transport)
  return { gone, close: () => server.close() }
}

/** Runs a tool. An unknown name is a failed result, which the model can read. */
async function callTool(name: string, args: unknown, call: Omit<ToolCall, 'agent'>): Promise<CallToolResult> {
  const tool = mcpTools.find((one) => one.name === name)
  if (tool !== undefined) return assertJson(await tool.run(args, { ...call, agent: tool.agent }))
  return failed(`Unknown tool '${name}'. The tools are: ${mcpTools.map((one) => one.name).join(', ')}.`)
}

/** Returns a result that has a JSON form. Throws the error that Codex gives for one without. */
export function assertJson(result: CallToolResult): CallToolResult {
  try {
    JSON.stringify(result)
    return result
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, `failed to serialize response: ${errorMessage(error)}`)
  }
}

function listed({ name, title, description, inputSchema, outputSchema }: (typeof mcpTools)[number]) {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object' as const, ...inputSchema },
    outputSchema: { type: 'object' as const, ...outputSchema },
  }
}

/** Runs after the answer, which the SDK sends in microtasks after the handler. */
function afterAnswer(run: () => void): void {
  setImmediate(run)
}

function unknownMethod(method: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, `method not found: ${method}`, { method })
}

function noteCancel(message: JSONRPCMessage, session: McpSession): void {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return
  const id = message.params?.['requestId']
  if (typeof id === 'string' || typeof id === 'number') session.cancel(id)
}

/** Tools in the order of the list for clients. */
const mcpTools: readonly McpTool[] = [
  startTool('codex'),
  replyTool('codex-reply'),
  startTool('parley'),
  replyTool('parley-reply'),
  conversationCreateTool,
  conversationSendMessageTool,
  conversationStreamTool,
  conversationsListTool,
]
