import * as z from 'zod'
import { conversationId } from '../ids.ts'

const remembered = {
  conversationId,
  text: z.string().min(1).max(2000).describe('Line to remember; line ends in it become blanks.'),
  where: z
    .enum(['project', 'user'])
    .describe(
      '`project`: the instruction file at the root of the repository, else of the working folder. `user`: AGENTS.md in the home of the server.',
    ),
}

/** Parameters of methods that change instruction files, without schemas of results. */
export const memoryParams = {
  'conversation/remember/plan': z.object(remembered),
  'conversation/remember': z.object({
    ...remembered,
    hash: z.string().describe('`hash` of the plan that the user has seen.'),
  }),
} as const
