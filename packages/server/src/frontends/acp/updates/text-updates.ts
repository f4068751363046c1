import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import type { ItemId, Plan } from '@parley/protocol'

const chunkKinds = {
  agentMessage: 'agent_message_chunk',
  reasoning: 'agent_thought_chunk',
  userMessage: 'user_message_chunk',
} as const

/** Returns the update that shows a piece of a message or of a thought. */
export function chunk(type: keyof typeof chunkKinds, text: string, messageId: ItemId): SessionUpdate {
  return { sessionUpdate: chunkKinds[type], content: { type: 'text', text }, messageId }
}

const stepStatuses = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' } as const

/** Returns the update that shows a plan. */
export function planUpdate({ steps }: Plan): SessionUpdate {
  const entries = steps.map(
    ({ step, status }): PlanEntry => ({ content: step, priority: 'medium', status: stepStatuses[status] }),
  )
  return { sessionUpdate: 'plan', entries }
}
