import { resolve } from 'node:path'
import type { InputItem, Overrides } from '@parley/protocol'
import { errorMessage, withoutUndefined } from '@parley/text'
import * as z from 'zod'
import type { CallersLimits } from '../../callers-limits.ts'
import type { McpConversation } from '../turns/mcp-conversation.ts'
import { ToolCallTurn } from '../turns/tool-call-turn.ts'
import {
  approvalPolicyInput,
  configInput,
  defineMcpTool,
  failed,
  type McpTool,
  modelInput,
  profileInput,
  sandboxInput,
  startParams,
  structured,
  type ToolCall,
} from './tool.ts'

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

export const conversationCreateTool: McpTool = defineMcpTool({
  name: 'conversationCreate',
  title: 'Create a conversation',
  description: 'Opens a new conversation. Its events come with conversationStream.',
  input: createInput,
  output: z.object({ conversation_id: z.string(), model: z.string() }),
  reject: failed,
  run: create,
})

async function create(args: z.infer<typeof createInput>, { session, requestId, agent }: ToolCall) {
  try {
    const params = {
      // Clients of this tool open conversations for folders that are made later.
      cwdMayBeMissing: true,
      ...startParams({
        cwd: args.cwd,
        model: args.model,
        profile: args.profile,
        approvalPolicy: args.approval_policy,
        sandbox: args.sandbox,
        config: args.config,
        baseInstructions: args.base_instructions,
      }),
    }
    const { conversation } = await session.create(params, requestId)
    const { prompt = '' } = args
    if (prompt !== '') {
      await conversation.send(
        new ToolCallTurn({ requestId, agent, input: [{ type: 'text', text: prompt }], holdsApprovals: true }),
      )
    }
    return structured({
      conversation_id: conversation.conversationId,
      model: conversation.store.state.core.settings.model,
    })
  } catch (error) {
    return failed(errorMessage(error))
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
  reject: failed,
  run: stream,
})

async function stream(args: z.infer<typeof streamInput>, { session, requestId, signal, afterAnswer }: ToolCall) {
  try {
    const conversation = await session.conversation(args.conversation_id, requestId)
    const prepared = await session.streams.prepare(conversation, requestId)
    session.onCancel(requestId, () => prepared.stop())
    if (signal.aborted) session.cancel(requestId)
    afterAnswer(() => prepared.begin())
    return structured({})
  } catch (error) {
    return failed(errorMessage(error))
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
  reject: failed,
  run: list,
})

async function list(args: z.infer<typeof listInput>, { session }: ToolCall) {
  try {
    const client = await session.client()
    const page = await client.request('conversation/list', withoutUndefined(args))
    const conversations = page.conversations.map(({ conversationId, name, title }) => {
      return { conversation_id: conversationId, title: name ?? title }
    })
    return structured({ conversations, ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }) })
  } catch (error) {
    return failed(errorMessage(error))
  }
}

const contentItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), image_url: z.string().describe('A `data:` URL in base64.') }),
  z.object({ type: z.literal('local_image'), path: z.string().describe("Relative to the server's own folder.") }),
])

const input = z.object({
  conversation_id: z.string().min(1),
  content: z.array(contentItem).min(1, 'No content items provided'),
  message_id: z.string().min(1).optional().describe('Yours; sent again, it is not sent twice.'),
  cwd: z.string().optional().describe('Another folder to work in from now on.'),
  model: modelInput,
  approval_policy: approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  profile: profileInput,
  base_instructions: z.string().optional().describe('Rejected here: conversationCreate takes them.'),
})

type Input = z.infer<typeof input>

const reject = (message: string) => structured({ status: 'error', message }, true)

export const conversationSendMessageTool: McpTool = defineMcpTool({
  name: 'conversationSendMessage',
  title: 'Send a message',
  description:
    'Sends a message to a conversation; while a turn runs, it waits for the next. The answer says that it was taken, conversationStream what becomes of it.',
  input,
  output: z.object({ status: z.enum(['ok', 'error']), message: z.string().optional() }),
  reject,
  run: send,
})

async function send(args: Input, call: ToolCall) {
  const { session, requestId, agent, signal } = call
  try {
    const conversation = await session.conversation(args.conversation_id, requestId)
    await override(conversation, args, session.limits)
    const turn = new ToolCallTurn({
      requestId,
      agent,
      input: args.content.map(inputItemOf),
      holdsApprovals: true,
      ...(args.message_id === undefined ? {} : { messageId: args.message_id }),
    })
    if (signal.aborted) return reject('It was cancelled.')
    await conversation.send(turn)
    const forget = session.onCancel(requestId, () => void conversation.stop(turn))
    void turn.ended.then(forget)
    if (signal.aborted) session.cancel(requestId)
    return structured({ status: 'ok' })
  } catch (error) {
    return reject(errorMessage(error))
  }
}

function inputItemOf(item: z.infer<typeof contentItem>): InputItem {
  switch (item.type) {
    case 'text':
      return { type: 'text', text: item.text }
    case 'image':
      return { type: 'image', url: item.image_url }
    case 'local_image':
      return { type: 'image', path: resolve(item.path) }
  }
}

/** Applies overrides from this message on. Throws for overrides that are not possible before the first message. */
async function override(conversation: McpConversation, args: Input, limits: CallersLimits): Promise<void> {
  if (args.base_instructions !== undefined)
    throw new Error('base_instructions can only be given to conversationCreate.')
  const settings = withoutUndefined({ model: args.model, approvalPolicy: args.approval_policy, sandbox: args.sandbox })
  const others = withoutUndefined({ cwd: args.cwd && resolve(args.cwd), config: args.config, profile: args.profile })
  const { conversationId, client, store } = conversation
  const isStarted = store.state.core.seq > 0
  if (Object.keys(others).length > 0 && !isStarted) {
    throw new Error('Before the first message cwd, config and profile can only be given to conversationCreate.')
  }
  const overrides: Overrides = { ...settings, ...others }
  if (Object.keys(overrides).length === 0) return
  await limits.assertOverrides(overrides, store.state.core.settings)
  if (isStarted) await client.request('conversation/resume', { conversationId, overrides })
  else {
    await client.request('conversation/configure', { conversationId, settings })
    await store.refresh()
  }
}
