import * as z from 'zod'
import { failed, messageOf, structured } from '../tool-result.ts'
import { defineMcpTool, type McpTool, type ToolCall } from './tool.ts'

const input = z.object({ conversation_id: z.string().min(1) })

export const conversationStreamTool: McpTool = defineMcpTool({
  name: 'conversationStream',
  title: 'Stream a conversation',
  description:
    'After the answer comes notifications/initial_state with all events so far, then each further event as a notification named by its type. Cancelling this request ends it.',
  input,
  output: z.object({}),
  refuse: failed,
  run: stream,
})

async function stream(args: z.infer<typeof input>, { session, requestId, signal, afterAnswer }: ToolCall) {
  try {
    const desk = await session.desk(args.conversation_id)
    const prepared = await session.streams.prepare(desk, requestId)
    session.onCancel(requestId, () => prepared.stop())
    if (signal.aborted) session.cancel(requestId)
    afterAnswer(() => prepared.begin())
    return structured({})
  } catch (error) {
    return failed(messageOf(error))
  }
}
