import * as z from 'zod'
import { failed, messageOf, structured } from '../tool-result.ts'
import { Errand } from '../turns/errand.ts'
import {
  approvalPolicyInput,
  configInput,
  modelInput,
  profileInput,
  sandboxInput,
  startParams,
} from './settings-input.ts'
import { defineMcpTool, type McpTool, type ToolCall } from './tool.ts'

const input = z.object({
  cwd: z.string().describe("Folder to work in. If relative, it counts from the server's own."),
  prompt: z.string().optional().describe('The first message; without one the conversation only opens.'),
  model: modelInput,
  approval_policy: approvalPolicyInput,
  sandbox: sandboxInput,
  config: configInput,
  profile: profileInput,
  base_instructions: z.string().optional().describe('Instructions to the model in place of the built-in ones.'),
})

type Input = z.infer<typeof input>

export const conversationCreateTool: McpTool = defineMcpTool({
  name: 'conversationCreate',
  title: 'Create a conversation',
  description: 'Opens a new conversation. Its events come with conversationStream.',
  input,
  output: z.object({ conversation_id: z.string(), model: z.string() }),
  refuse: failed,
  run: create,
})

async function create(args: Input, { session, requestId }: ToolCall) {
  try {
    const { desk } = await session.create(
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
      await desk.send(new Errand({ requestId, input: [{ type: 'text', text: prompt }], holdsApprovals: true }))
    }
    return structured({ conversation_id: desk.conversationId, model: desk.store.state.core.settings.model })
  } catch (error) {
    return failed(messageOf(error))
  }
}
