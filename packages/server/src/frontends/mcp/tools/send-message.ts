import { resolve } from 'node:path'
import type { InputItem, Overrides } from '@parley/protocol'
import * as z from 'zod'
import type { CallersLimits } from '../callers-limits.ts'
import type { McpConversation } from '../turns/mcp-conversation.ts'
import { ToolCallTurn } from '../turns/tool-call-turn.ts'
import { approvalPolicyInput, configInput, given, modelInput, profileInput, sandboxInput } from './settings-input.ts'
import { defineMcpTool, type McpTool, messageOf, structured, type ToolCall } from './tool.ts'

const contentItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), image_url: z.string().describe('A `data:` URL in base64.') }),
  z.object({ type: z.literal('local_image'), path: z.string().describe("Relative to the server's own folder.") }),
])

const input = z.object({
  conversation_id: z.string().min(1),
  content: z.array(contentItem).min(1),
  message_id: z.string().min(1).optional().describe('Yours; sent again, it is not sent twice.'),
  cwd: z.string().optional().describe('Another folder to work in from now on.'),
  model: modelInput,
  approval_policy: approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  profile: profileInput,
  base_instructions: z.string().optional().describe('Refused here: conversationCreate takes them.'),
})

type Input = z.infer<typeof input>

const refuse = (message: string) => structured({ status: 'error', message }, true)

export const conversationSendMessageTool: McpTool = defineMcpTool({
  name: 'conversationSendMessage',
  title: 'Send a message',
  description:
    'Sends a message to a conversation; while a turn runs, it waits for the next. The answer says that it was taken, conversationStream what becomes of it.',
  input,
  output: z.object({ status: z.enum(['ok', 'error']), message: z.string().optional() }),
  refuse,
  run: send,
})

async function send(args: Input, call: ToolCall) {
  const { session, requestId, signal } = call
  try {
    const conversation = await session.conversation(args.conversation_id)
    await override(conversation, args, session.limits)
    const turn = new ToolCallTurn({
      requestId,
      input: args.content.map(inputItemOf),
      holdsApprovals: true,
      ...(args.message_id === undefined ? {} : { messageId: args.message_id }),
    })
    if (signal.aborted) return refuse('It was cancelled.')
    await conversation.send(turn)
    const forget = session.onCancel(requestId, () => void conversation.stop(turn))
    void turn.ended.then(forget)
    if (signal.aborted) session.cancel(requestId)
    return structured({ status: 'ok' })
  } catch (error) {
    return refuse(messageOf(error))
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

/** Applies overrides from this message on. Throws for those that are not possible before the first message. */
async function override(conversation: McpConversation, args: Input, limits: CallersLimits): Promise<void> {
  if (args.base_instructions !== undefined)
    throw new Error('base_instructions can only be given to conversationCreate.')
  const settings = given({ model: args.model, approvalPolicy: args.approval_policy, sandbox: args.sandbox })
  const others = given({ cwd: args.cwd && resolve(args.cwd), config: args.config, profile: args.profile })
  const { conversationId, client, store } = conversation
  const isStarted = store.state.core.seq > 0
  if (Object.keys(others).length > 0 && !isStarted) {
    throw new Error('Before the first message cwd, config and profile can only be given to conversationCreate.')
  }
  const overrides: Overrides = { ...settings, ...others }
  if (Object.keys(overrides).length === 0) return
  limits.assertOverrides(overrides, store.state.core.settings)
  if (isStarted) await client.request('conversation/resume', { conversationId, overrides })
  else {
    await client.request('conversation/configure', { conversationId, settings })
    await store.refresh()
  }
}
