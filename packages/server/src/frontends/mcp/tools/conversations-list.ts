import * as z from 'zod'
import { failed, messageOf, structured } from '../tool-result.ts'
import { given } from './settings-input.ts'
import { defineMcpTool, type McpTool, type ToolCall } from './tool.ts'

const input = z.object({
  limit: z.int().min(1).max(1000).optional().describe('At most so many; 50 when absent.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
})

export const conversationsListTool: McpTool = defineMcpTool({
  name: 'conversationsList',
  title: 'List conversations',
  description: 'Conversations, newest first.',
  input,
  output: z.object({
    conversations: z.array(z.object({ conversation_id: z.string(), title: z.string() })),
    next_cursor: z.string().optional().describe('Absent on the last page.'),
  }),
  refuse: failed,
  run: list,
})

async function list(args: z.infer<typeof input>, { session }: ToolCall) {
  try {
    const client = await session.client()
    const page = await client.request('conversation/list', given(args))
    const conversations = page.conversations.map(({ conversationId, name, title }) => {
      return { conversation_id: conversationId, title: name ?? title }
    })
    return structured({ conversations, ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }) })
  } catch (error) {
    return failed(messageOf(error))
  }
}
