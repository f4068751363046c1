import * as z from 'zod'
import { itemId } from '../ids.ts'
import { listedConversation } from '../summaries.ts'

const excerpt = z
  .object({
    seq: z.int().describe('Seq of the event that has it.'),
    at: z.number().describe('ms since the epoch.'),
    from: z.enum(['user', 'model', 'call', 'notice', 'name']).describe('Source of the text; `call`: with its output.'),
    itemId: itemId.exactOptional().describe('The item; left out for a name.'),
    before: z.string().describe('Text before the words, in one line.'),
    words: z.string().describe('The words as they stand there; empty where only the index finds them.'),
    after: z.string(),
  })
  .describe('Place in a conversation that has the words.')

export const searchMethods = {
  'conversation/search': {
    about:
      'Finds conversations with all words: in messages, answers, reasoning, commands, their output as far as the log has it, diffs, names. Conversations with all words in one item come first, then the order is by the time of the last change. A word of three letters or more also finds longer words, except in quotation marks. Texts are redacted. The first request starts reading new conversations in the background; a request without words finds nothing.',
    result: z.object({
      found: z.array(
        z.object({
          conversation: listedConversation,
          items: z.int().describe('Number of items that have all words; 0 where different items have them.'),
          excerpt: excerpt.describe('The newest of these places.'),
        }),
      ),
      total: z.int().describe('Number of conversations that have the words, as far as they were read.'),
      unread: z.int().describe('Number of conversations that are not read, or not to their end; ask again later.'),
      leftOut: z.int().describe('Number of conversations, the oldest, that the limit of the index leaves out.'),
    }),
  },
} as const
