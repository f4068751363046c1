import * as z from 'zod'
import { ruleRef } from './item.ts'
import { approvalPolicy, enforcement, sandboxMode } from './settings.ts'

export const judgement = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: ruleRef,
    reason: z.string().describe('One sentence.'),
    code: z.string().exactOptional().describe('Stable name of why it is denied, for programs.'),
    run: z.enum(['sandboxed', 'unsandboxed']).describe('How it runs, if it runs.'),
  })
  .describe('What the policy says of a call.')

export const testedCommand = z
  .object({
    ...judgement.shape,
    argv: z.array(z.string()),
    approvalPolicy,
    sandbox: sandboxMode,
    enforcement,
    understood: z.boolean().describe('All that it would run is known.'),
    because: z.string().exactOptional().describe('Why it is not understood.'),
    parts: z
      .array(
        z.object({
          argv: z.array(z.string()),
          program: z.string().nullable().describe('The file that its first word leads to; null when none is found.'),
          ...judgement.shape,
        }),
      )
      .describe('Each command that it would run, judged as if it stood alone; empty when it is not understood.'),
    always: z.string().exactOptional().describe('What a yes for always would allow, where one would be offered.'),
  })
  .describe('A command and what would be decided about it.')

export const replayedCalls = z
  .object({
    conversationId: z.string(),
    calls: z.array(
      z.object({
        itemId: z.string(),
        tool: z.string(),
        title: z.string(),
        before: z
          .object({
            verdict: judgement.shape.verdict,
            rule: ruleRef,
            answer: z.string().exactOptional().describe("The user's, where one was asked for."),
          })
          .describe('As it is stored.'),
        after: judgement,
      }),
    ),
    skipped: z.int().describe('Calls without stored facts: they never came to a decision.'),
  })
  .describe('The calls of a conversation, oldest first, judged again.')

export const explainedCall = z
  .object({
    conversationId: z.string(),
    item: z.object({ id: z.string(), tool: z.string(), title: z.string(), status: z.string() }),
    rows: z
      .array(z.object({ about: z.string(), text: z.string() }))
      .describe('Label and sentence, in the order to show them.'),
    calls: z.int().describe('Calls of the conversation.'),
  })
  .describe('A call and why it was run or not.')

export const check = z
  .object({
    name: z.string().describe('What was looked at.'),
    level: z.enum(['ok', 'warning', 'problem']),
    text: z.string().describe('What was found.'),
    remedy: z.string().exactOptional().describe('What to do about it.'),
  })
  .describe('One thing that was looked at.')

export const checkup = z.object({ checks: z.array(check) }).describe('How things stand.')

export type Check = z.infer<typeof check>
export type Judgement = z.infer<typeof judgement>
