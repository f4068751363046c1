import { conversationCreateTool } from './conversation-create.ts'
import { conversationSendMessageTool } from './conversation-send-message.ts'
import { conversationStreamTool } from './conversation-stream.ts'
import { conversationsListTool } from './conversations-list.ts'
import { startTool } from './run-codex.ts'
import { replyTool } from './run-codex-reply.ts'
import type { McpTool } from './tool.ts'

/** In the order in which clients see them. */
export const mcpTools: readonly McpTool[] = [
  startTool('codex'),
  replyTool('codex-reply'),
  startTool('parley'),
  replyTool('parley-reply'),
  conversationCreateTool,
  conversationSendMessageTool,
  conversationStreamTool,
  conversationsListTool,
]
