import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import type { Conversation } from '@parley/client'
import type { Item, ItemId, Plan } from '@parley/protocol'
import { pictureContents } from '../../picture-contents.ts'

const chunkKinds = {
  agentMessage: 'agent_message_chunk',
  reasoning: 'agent_thought_chunk',
  userMessage: 'user_message_chunk',
} as const

/** Returns the update that shows a piece of a message or of a thought. */
export function chunk(type: keyof typeof chunkKinds, text: string, messageId: ItemId): SessionUpdate {
  return { sessionUpdate: chunkKinds[type], content: { type: 'text', text }, messageId }
}

/** Returns the updates that show the pictures of a message. */
export async function pictureChunks(
  conversation: Pick<Conversation, 'readFile'>,
  item: Item,
): Promise<SessionUpdate[]> {
  const images = item.type === 'agentMessage' ? (item.images ?? []) : []
  const contents = await pictureContents(images, (file) => conversation.readFile(file))
  return contents.map((content) => ({ sessionUpdate: 'agent_message_chunk', content, messageId: item.id }))
}

const stepStatuses = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' } as const

/** Returns the update that shows a plan. */
export function planUpdate({ steps }: Plan): SessionUpdate {
  const entries = steps.map(
    ({ step, status }): PlanEntry => ({ content: step, priority: 'medium', status: stepStatuses[status] }),
  )
  return { sessionUpdate: 'plan', entries }
}
