import * as z from 'zod'
import { conversationId, itemId } from './ids.ts'
import { ruleRef } from './item.ts'
import { approvalPolicy, enforcement, sandboxMode } from './settings.ts'

const judgement = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: ruleRef,
    reason: z.string().describe('One sentence.'),
    code: z.string().exactOptional().describe('Stable name of the reason for a denial, for programs.'),
    run: z.enum(['sandboxed', 'unsandboxed']).describe('How the call runs, if it runs.'),
  })
  .describe('Verdict of the policy on a call.')

export const testedCommand = z
  .object({
    ...judgement.shape,
    argv: z.array(z.string()),
    approvalPolicy,
    sandbox: sandboxMode,
    enforcement,
    understood: z.boolean().describe('All programs that the command would run are known.'),
    because: z.string().exactOptional().describe('Reason why it is not understood.'),
    parts: z
      .array(
        z.object({
          argv: z.array(z.string()),
          program: z.string().nullable().describe('Path of the program; null when none is found.'),
          ...judgement.shape,
        }),
      )
      .describe('Each command that would run, judged by itself; empty when the command is not understood.'),
    always: z.string().exactOptional().describe('Calls that `approvedAlways` would allow, where it would be offered.'),
  })
  .describe('A command and the decision about it.')

export const replayedCalls = z
  .object({
    conversationId,
    calls: z.array(
      z.object({
        itemId,
        tool: z.string(),
        title: z.string(),
        before: z
          .object({
            verdict: judgement.shape.verdict,
            rule: ruleRef,
            answer: z.string().exactOptional().describe("The user's answer, where the user was asked."),
          })
          .describe('Stored verdict.'),
        after: judgement,
      }),
    ),
    skipped: z.int().describe('Number of calls without stored facts, which were never decided.'),
  })
  .describe('The calls of a conversation, oldest first, judged again.')

export const explainedCall = z
  .object({
    conversationId,
    item: z.object({ id: itemId, tool: z.string(), title: z.string(), status: z.string() }),
    rows: z
      .array(z.object({ about: z.string(), text: z.string() }))
      .describe('Label and sentence, in the order to show them.'),
    calls: z.int().describe('Number of calls in the conversation.'),
  })
  .describe('A call and why it was run or not.')

const check = z
  .object({
    name: z.string().describe('Subject of the check.'),
    level: z.enum(['ok', 'warning', 'problem']),
    text: z.string().describe('Finding.'),
    remedy: z.string().exactOptional().describe('What to do about the finding.'),
  })
  .describe('One check and its finding.')

export const checkup = z.object({ checks: z.array(check) }).describe('All checks.')

export type Check = z.infer<typeof check>
export type Judgement = z.infer<typeof judgement>
