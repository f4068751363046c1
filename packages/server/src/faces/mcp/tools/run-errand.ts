import type { CallToolResult } from '@modelcontextprotocol/server'
import type { InputItem } from '@parley/protocol'
import { answered } from '../tool-result.ts'
import type { Desk } from '../turns/desk.ts'
import { Errand } from '../turns/errand.ts'
import type { ToolCall } from './tool.ts'

/** Sends a message, tells the client what happens in its turn, and answers with its end. */
export async function runErrand(desk: Desk, prompt: string, call: ToolCall): Promise<CallToolResult> {
  const { session, requestId, signal } = call
  const { conversationId } = desk
  const input: InputItem[] = [{ type: 'text', text: prompt }]
  const errand = new Errand({
    requestId,
    input,
    holdsApprovals: false,
    tell: (eventId, message) => session.tell({ requestId, threadId: conversationId, eventId }, message),
  })
  await desk.unpark(errand)
  if (signal.aborted) return answered(conversationId, '', true)
  await desk.send(errand)
  const stop = () => void desk.stop(errand)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const end = await errand.ended
  signal.removeEventListener('abort', stop)
  switch (end.kind) {
    case 'completed':
      return answered(conversationId, end.text)
    case 'failed':
      return answered(conversationId, end.message, true)
    case 'interrupted':
      return answered(conversationId, 'The turn was interrupted.', true)
  }
}
