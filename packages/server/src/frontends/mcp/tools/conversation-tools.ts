import * as z from 'zod'
import { ToolCallTurn } from '../turns/tool-call-turn.ts'
import {
  approvalPolicyInput,
  configInput,
  given,
  modelInput,
  profileInput,
  sandboxInput,
  startParams,
} from './settings-input.ts'
import { defineMcpTool, failed, type McpTool, messageOf, structured, type ToolCall } from './tool.ts'

const createInput = z.object({
  cwd: z.string().describe("Folder to work in. If relative, it counts from the server's own."),
  prompt: z.string().optional().describe('The first message; without one the conversation only opens.'),
  model: modelInput,
  approval_policy: approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  profile: profileInput,
  base_instructions: z.string().optional().describe('Instructions to the model in place of the built-in ones.'),
})

type CreateInput = z.infer<typeof createInput>

export const conversationCreateTool: McpTool = defineMcpTool({
  name: 'conversationCreate',
  title: 'Create a conversation',
  description: 'Opens a new conversation. Its events come with conversationStream.',
  input: createInput,
  output: z.object({ conversation_id: z.string(), model: z.string() }),
  refuse: failed,
  run: create,
})

async function create(args: CreateInput, { session, requestId }: ToolCall) {
  try {
    const { conversation } = await session.create(
      startParams({
        cwd: args.cwd,
        model: args.model,
        profile: args.profile,
        approvalPolicy: args.approval_policy,
        sandbox: args.sandbox,
        config: args.config,
        baseInstructions: args.base_instructions,
      }),
    )
    const { prompt = '' } = args
    if (prompt !== '') {
      await conversation.send(
        new ToolCallTurn({ requestId, input: [{ type: 'text', text: prompt }], holdsApprovals: true }),
      )
    }
    return structured({
      conversation_id: conversation.conversationId,
      model: conversation.store.state.core.settings.model,
    })
  } catch (error) {
    return failed(messageOf(error))
  }
}

const streamInput = z.object({ conversation_id: z.string().min(1) })

export const conversationStreamTool: McpTool = defineMcpTool({
  name: 'conversationStream',
  title: 'Stream a conversation',
  description:
    'After the answer comes notifications/initial_state with all events so far, then each further event as a notification named by its type. Cancelling this request ends it.',
  input: streamInput,
  output: z.object({}),
  refuse: failed,
  run: stream,
})

async function stream(args: z.infer<typeof streamInput>, { session, requestId, signal, afterAnswer }: ToolCall) {
  try {
    const conversation = await session.conversation(args.conversation_id)
    const prepared = await session.streams.prepare(conversation, requestId)
    session.onCancel(requestId, () => prepared.stop())
    if (signal.aborted) session.cancel(requestId)
    afterAnswer(() => prepared.begin())
    return structured({})
  } catch (error) {
    return failed(messageOf(error))
  }
}

const listInput = z.object({
  limit: z.int().min(1).max(1000).optional().describe('At most so many; 50 when absent.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
})

export const conversationsListTool: McpTool = defineMcpTool({
  name: 'conversationsList',
  title: 'List conversations',
  description: 'Conversations, newest first.',
  input: listInput,
  output: z.object({
    conversations: z.array(z.object({ conversation_id: z.string(), title: z.string() })),
    next_cursor: z.string().optional().describe('Absent on the last page.'),
  }),
  refuse: failed,
  run: list,
})

async function list(args: z.infer<typeof listInput>, { session }: ToolCall) {
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
