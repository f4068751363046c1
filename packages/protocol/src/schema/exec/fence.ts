import * as z from 'zod'

/**
 * Proof of a server of a store that it has a conversation. Requests that change something carry it; of two servers that
 * both think they have the conversation, the exec-server obeys the later one.
 */
const fence = z
  .object({
    conversation: z.string().min(1).max(200).describe('Id of the conversation.'),
    epoch: z.int().min(1).describe('Number that grows with each server that takes the conversation.'),
  })
  .describe(
    'Conversation that a store holds, and the epoch of the server that sends this. An epoch below the highest that was ever seen is rejected, and nothing is done.',
  )

export type Fence = z.output<typeof fence>

/** Fence of a request that changes something; clients without a store leave it out. */
export const fenced = { fence: fence.exactOptional() }
