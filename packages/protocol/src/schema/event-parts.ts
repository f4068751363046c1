import * as z from 'zod'
import { itemId } from './ids.ts'

const count = z.int().min(0)

export const tokenCounts = z
  .object({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count.exactOptional().describe('Input written to the cache of the provider, where it says so.'),
    outputTokens: count,
    reasoningTokens: count,
    costUsd: z.number().min(0).exactOptional().describe('Cost in US dollars; left out where no price is known.'),
    isPartCost: z.literal(true).exactOptional().describe('The cost lacks calls with an unknown price.'),
  })
  .describe(
    'Token counts of the provider, and their cost at the time of the call. Input includes tokens read from the cache and written to it; output includes reasoning.',
  )

export const forward = z
  .object({
    port: z.int().describe('Port that a sandboxed command listens on.'),
    url: z.string().describe('Address for a browser on the machine of the server; other addresses are rejected.'),
  })
  .describe('Port of the sandboxed commands that programs of the machine reach.')

export const outputWait = z
  .object({
    itemId,
    pattern: z.string().describe('As `search` of `conversation/process/read`.'),
    fromByte: z.int().min(0).describe('Bytes of its output that were there before and do not count.'),
  })
  .describe('Line of a running command that a user waits for.')

export const plan = z
  .object({
    explanation: z.string().exactOptional(),
    steps: z.array(z.object({ step: z.string(), status: z.enum(['pending', 'inProgress', 'completed']) })),
  })
  .describe('Plan of the model.')

const denied = { itemId, title: z.string(), reason: z.string() }
export const denial = z.object(denied).describe('A call that was not run because the user or a rule denied it.')

export const lostRange = z
  .object({ fromSeq: z.int(), toSeq: z.int(), reason: z.string() })
  .describe('Numbers of events that the log no longer holds.')

export const turnOutcome = z.enum(['completed', 'interrupted', 'failed']).describe('How a turn ended.')

export const stopReason = z
  .enum(['done', 'outputLimit', 'filtered', 'context', 'budget', 'interrupted', 'failed'])
  .describe(
    "Reason why a turn stopped. `outputLimit`: the model's answer was cut. `filtered`: the provider refused the rest. `context`: the request did not fit. `budget`: a limit of the run. `failed`: see the failure.",
  )

export const answerProblem = z
  .string()
  .exactOptional()
  .describe('Place where the final message of a completed turn does not satisfy its `outputSchema`.')

export const listedSkills = z
  .array(z.object({ name: z.string(), path: z.string().describe('Its SKILL.md; absolute.') }))
  .describe('Skills that the instructions list; absent without skills.')

export const compactionCounts = {
  tokensBefore: count.describe('Estimated tokens of the next request before it.'),
  tokensAfter: count.describe('Estimated tokens of the next request after it.'),
}

export type Forward = z.infer<typeof forward>
export type OutputWait = z.infer<typeof outputWait>
export type Plan = z.infer<typeof plan>
export type LostRange = z.infer<typeof lostRange>
export type StopReason = z.infer<typeof stopReason>
export type TurnOutcome = z.infer<typeof turnOutcome>
export type TokenCounts = z.infer<typeof tokenCounts>
