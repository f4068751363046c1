import * as z from 'zod'
import { tokenCounts } from './event.ts'
import { methodParams } from './params.ts'

/** Methods that say what was used and what is used now. */
export const usageMethods = {
  'conversation/context': {
    about: 'Says what fills the context window in the next request of a conversation that is open here.',
    params: methodParams['conversation/context'],
    result: z.object({
      contextWindow: z.int().nullable().describe('Tokens that a request may have; null where that is not known.'),
      tokens: z.int().describe('Tokens of the next request, estimated.'),
      isScaled: z.boolean().describe('The estimate is scaled to what the provider counted for the newest call.'),
      parts: z
        .array(
          z.object({
            kind: z
              .enum(['instructions', 'tools', 'files', 'outputs', 'talk'])
              .describe('`files`: AGENTS.md files. `outputs`: results of calls. `talk`: messages, answers and calls.'),
            tokens: z.int(),
            count: z.int().describe('Number of tools, files, outputs or messages.'),
          }),
        )
        .describe('Parts of it, in the order of the request.'),
    }),
  },
  'usage/read': {
    about: 'Sums tokens and cost over all conversations that are kept.',
    params: methodParams['usage/read'],
    result: z.object({
      rows: z
        .array(
          z.object({
            key: z
              .string()
              .describe('The day, `provider model`, or the folder; of another machine `environment:folder`.'),
            conversations: z.int(),
            calls: z.int().describe('Model calls.'),
            counts: tokenCounts,
          }),
        )
        .describe('Days newest first, others by their cost.'),
    }),
  },
}
