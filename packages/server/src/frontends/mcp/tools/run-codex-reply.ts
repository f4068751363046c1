import * as z from 'zod'
import { answered, failed, messageOf } from '../tool-result.ts'
import { answerOutput, introduce } from './run-codex.ts'
import { runErrand } from './run-errand.ts'
import { defineMcpTool, type McpTool, type ToolCall } from './tool.ts'

const id = z.string().min(1).optional()

const input = z.object({
  prompt: z.string().describe('The next message.'),
  conversationId: id.describe('The conversation, as the first call named it. One of the three ids is needed.'),
  threadId: id.describe('The same, under its other name.'),
  sessionId: id.describe('The same, under its oldest name.'),
})

type Input = z.infer<typeof input>

export function replyTool(name: 'codex-reply' | 'parley-reply'): McpTool {
  return defineMcpTool({
    name,
    title: name === 'codex-reply' ? 'Codex Reply' : 'Parley Reply',
    description:
      'Goes on with a conversation, also one of an earlier process or one that is open elsewhere, and answers with the last message of the agent. While it works, the message waits its turn and gets its own answer.',
    input,
    output: answerOutput,
    refuse: failed,
    run: reply(name),
  })
}

function reply(name: string) {
  return async (args: Input, call: ToolCall) => {
    const conversationId = args.threadId ?? args.conversationId ?? args.sessionId
    if (conversationId === undefined) return failed(`${name}: conversationId (or threadId, or sessionId) is missing.`)
    const { session } = call
    try {
      const isKnown = session.knows(conversationId)
      const desk = await session.desk(conversationId)
      if (!isKnown) introduce(desk, call)
      return await runErrand(desk, args.prompt, call)
    } catch (error) {
      return answered(conversationId, messageOf(error), true)
    }
  }
}
