import type { Client, ConversationStore } from '@parley/client/low-level'
import { initialState } from '@parley/protocol'
import { expect, it } from 'vitest'
import type { Elicitor } from '../../../src/mcp/approvals/elicitor.ts'
import { McpConversation } from '../../../src/mcp/turns/mcp-conversation.ts'

it('a conversation that its user has lost is listened to by nobody', async () => {
  const listening = new Set<unknown>()
  const listen = (listener: unknown) => {
    listening.add(listener)
    return () => void listening.delete(listener)
  }
  let end: (message: string) => void = () => undefined
  const client = {
    closed: new Promise<never>(() => undefined),
    onAccessEnded(_id: string, listener: (message: string) => void) {
      end = listener
      return listen(listener)
    },
  } as unknown as Client
  const store = {
    conversationId: 'c1',
    state: initialState('c1'),
    subscribe: listen,
    close: () => Promise.reject(new Error('it is not yours any more')),
  } as unknown as ConversationStore
  const conversation = new McpConversation({ client, store }, 1, {} as unknown as Elicitor)
  expect(listening.size).toBe(2)
  end('ada has taken it from you')
  await conversation.ended
  expect(listening.size).toBe(0)
})
