import * as z from 'zod'

export const decision = z
  .enum(['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort'])
  .describe(
    '`approvedForSession`: also what is like it, until the conversation is closed. `approvedAlways`: and the rule of `always` is added to policy.toml of the user. Anything but a literal approval is a no; `abort` also ends the turn.',
  )

export const answer = z.union([z.string(), z.number(), z.boolean()]).describe('What was put into one field.')

export const answers = z.record(z.string(), answer).describe('By the name of the field; without those left empty.')

export type Answer = z.infer<typeof answer>
export type Answers = z.infer<typeof answers>
export type ApprovalDecision = z.infer<typeof decision>
