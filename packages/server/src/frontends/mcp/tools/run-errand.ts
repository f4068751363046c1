import type { CallToolResult } from '@modelcontextprotocol/server'
import type { InputItem } from '@parley/protocol'
import { answered } from '../tool-result.ts'
import type { Desk } from '../turns/desk.ts'
import { Errand } from '../turns/errand.ts'
import { createProgress } from '../turns/progress.ts'
import type { ToolCall } from './tool.ts'

/** Sends a message, tells the client what happens in its turn, and answers with its end. */
export async function runErrand(desk: Desk, prompt: string, call: ToolCall): Promise<CallToolResult> {
  const { session, requestId, signal } = call
  const { conversationId } = desk
  const input: InputItem[] = [{ type: 'text', text: prompt }]
  const progress = createProgress(call.progressToken, (method, params) => session.notify(method, params, requestId))
  const errand = new Errand({
    requestId,
    input,
    holdsApprovals: false,
    tell(eventId, message) {
      session.tell({ requestId, threadId: conversationId, eventId }, message)
      progress.note(message)
    },
  })
  await send(desk, errand, signal).catch((error: unknown) => {
    progress.stop()
    throw error
  })
  // A client that is gone has cancelled nothing: what it began goes on, as long as the process does.
  const stop = () => (session.isConnected ? void desk.stop(errand) : undefined)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const end = await errand.ended.finally(progress.stop)
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

async function send(desk: Desk, errand: Errand, signal: AbortSignal): Promise<void> {
  await desk.clearTheWay(errand)
  // Cancelled by now: nobody waits for an answer.
  if (signal.aborted) errand.end({ kind: 'interrupted' })
  else await desk.send(errand)
}
