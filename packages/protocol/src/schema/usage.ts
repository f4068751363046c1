import * as z from 'zod'

const count = z.int().min(0)

export const tokenCounts = z
  .object({ inputTokens: count, cachedInputTokens: count, outputTokens: count, reasoningTokens: count })
  .describe('As the provider counted them. Input includes cached input; output includes reasoning.')

export const failure = z
  .object({
    code: z.string().describe('Stable, for programs: `rateLimited`, `auth`, `contextTooLong`, … New ones may appear.'),
    message: z.string().describe('What, why and what next, in one or two sentences.'),
    status: z.int().exactOptional().describe("The provider's HTTP status, where one was received."),
  })
  .describe('Why something ended badly.')

export type TokenCounts = z.infer<typeof tokenCounts>
export type Failure = z.infer<typeof failure>
