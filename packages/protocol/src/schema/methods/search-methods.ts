import * as z from 'zod'
import { itemId } from '../ids.ts'
import { methodParams } from '../params/params.ts'
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
      'Finds conversations that have all words: messages, answers, reasoning, commands, their output as far as the log has it, diffs, names. Those come first that have all words in one item, then by the time of the last change. A word finds longer ones from three letters on; "in quotation marks" it does not. Texts are redacted. What is not read yet is read in the background from the first request on, also from one without words, which finds nothing.',
    params: methodParams['conversation/search'],
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
