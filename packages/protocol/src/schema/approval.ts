import * as z from 'zod'
import { actor } from './input.ts'
import { ruleRef } from './item.ts'
import { sandboxMode } from './settings.ts'

export const approvalKind = z
  .enum(['command', 'patch', 'escalation', 'network', 'mcpTool', 'read'])
  .describe('What is asked for. `escalation`: to run outside the sandbox. `read`: to read outside the allowed roots.')

export const decision = z
  .enum(['approved', 'approvedForSession', 'denied', 'abort'])
  .describe(
    '`approvedForSession`: also what is like it, until the conversation is closed. Anything but a literal approval is a no; `abort` also ends the turn.',
  )

export const approvalRequest = z
  .object({
    id: z.string().describe('Stays the same across restarts.'),
    itemId: z.string().describe('The call it is about; open while the approval is.'),
    turnId: z.string(),
    kind: approvalKind,
    title: z.string().describe('One line.'),
    detail: z.string().describe('The whole command or diff, control characters made visible.'),
    command: z.array(z.string()).exactOptional().describe('Exact argv, for a command.'),
    cwd: z.string().describe('Where it will run.'),
    environment: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe('What is laid over the command environment.'),
    sandbox: z
      .union([sandboxMode, z.literal('none')])
      .describe('The limits it will run under; `none` when nothing enforces them.'),
    contentHash: z
      .string()
      .exactOptional()
      .describe('sha256 of exactly what would be done and where; the yes holds for nothing else.'),
    reason: z.string().describe('Why it is asked for.'),
    rule: ruleRef,
    decisions: z.array(decision).describe('The answers to offer.'),
    answerableBy: z.array(z.string()).describe('clientIds connected when it was asked.'),
  })
  .describe('A question to the user. It binds to exactly this command or patch, and survives the process.')

export const approval = z
  .object({
    ...approvalRequest.shape,
    state: z.enum(['pending', 'approved']).describe('`approved`: decided, but the call has not begun.'),
    decision: decision.exactOptional().describe('Once it is approved.'),
    note: z.string().exactOptional().describe('What the user added to the answer.'),
    by: actor.exactOptional().describe('Who answered.'),
  })
  .describe('An approval while it is part of the state: pending, or approved and not begun.')

export type ApprovalKind = z.infer<typeof approvalKind>
export type ApprovalDecision = z.infer<typeof decision>
export type ApprovalRequest = z.infer<typeof approvalRequest>
export type Approval = z.infer<typeof approval>
