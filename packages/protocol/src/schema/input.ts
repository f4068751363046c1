import * as z from 'zod'

export const inputItem = z
  .discriminatedUnion('type', [z.object({ type: z.literal('text'), text: z.string() }).describe('Text.')])
  .describe('One part of a user message.')

export const actor = z
  .object({ clientId: z.string().describe('One connection.'), name: z.string() })
  .describe('The client a message or decision came from, as it named itself in `initialize`.')

export const queuedMessage = z
  .object({
    messageId: z.string().describe('The one from `conversation/sendMessage`.'),
    when: z
      .enum(['queue', 'steer'])
      .describe('`steer` goes in after the current tool results, `queue` starts a turn of its own.'),
    content: z.array(inputItem),
    by: actor,
  })
  .describe('A message that waits in the inbox.')

export type InputItem = z.infer<typeof inputItem>
export type Actor = z.infer<typeof actor>
export type QueuedMessage = z.infer<typeof queuedMessage>
