import * as z from 'zod'
import { actor, answer, decision } from './input.ts'
import { fileChangeEntry, ruleRef } from './item.ts'
import { sandboxMode } from './settings.ts'

export const approvalKind = z
  .enum(['command', 'patch', 'escalation', 'network', 'mcpTool', 'read', 'elicitation'])
  .describe(
    'What is asked for. `escalation`: to run outside the sandbox. `read`: to read outside the allowed roots. `elicitation`: an MCP server asks the user something while its call runs; see `form`.',
  )

export const formField = z
  .object({
    name: z.string().describe('Key of its answer.'),
    title: z.string().describe('What to show as its label.'),
    description: z.string().exactOptional().describe('More about it, limits included.'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'choice'])
      .describe('`choice`: the `value` of one of `choices`.'),
    format: z
      .enum(['email', 'uri', 'date', 'date-time'])
      .exactOptional()
      .describe('What a text must look like, so that it can be checked while it is filled in.'),
    choices: z.array(z.object({ value: z.string(), title: z.string() })).exactOptional(),
    required: z.boolean(),
    default: answer.exactOptional().describe('What to begin with; sent back like any other answer.'),
  })
  .describe('One thing to fill in. All of its texts are data from the one who asks.')

export const form = z
  .object({ fields: z.array(formField).describe('In the order to show them; none asks for a plain yes.') })
  .describe('What an `elicitation` asks the user to fill in.')

export const alwaysRule = z
  .object({
    label: z.string().describe('What it allows from then on, as the key shows it; `…` at its end: with more words.'),
    rule: z.string().describe('Exactly the lines that are added.'),
    file: z.string().describe("The user's policy.toml."),
  })
  .describe('The rule that `approvedAlways` adds. Tried before it is offered: with it this very call runs unasked.')

export const askedFile = z
  .object({
    ...fileChangeEntry.omit({ diff: true }).shape,
    real: z.string().exactOptional().describe('Where `path` leads, when links make that another place.'),
    realMovedTo: z.string().exactOptional().describe('The same of `movedTo`.'),
    deletedBytes: z.int().min(0).exactOptional().describe('Of a file that is deleted: its size.'),
  })
  .describe('One file of a patch that is asked about. `movedTo` makes an update a move.')

export const approvalRequest = z
  .object({
    id: z.string().describe('Stays the same across restarts.'),
    itemId: z
      .string()
      .describe('The call it is about; open while the approval is. Of an `elicitation` it runs, and waits for this.'),
    turnId: z.string(),
    kind: approvalKind,
    title: z.string().describe('One line.'),
    detail: z
      .string()
      .describe(
        'The whole command, or the diffs of all files with every added and changed line. Removed lines of a deleted file may be left out: its size and sha256 stand for them.',
      ),
    files: z
      .array(askedFile)
      .exactOptional()
      .describe(
        'Of a patch: every file that a yes covers, in the order of `detail`. Those outside of the writable folders and protected ones come first, then what is added or changed, then what is deleted.',
      ),
    command: z.array(z.string()).exactOptional().describe('Exact argv, for a command.'),
    cwd: z.string().describe('Where it will run.'),
    environment: z
      .string()
      .exactOptional()
      .describe('Name of the environment whose machine it will run on; else this one.'),
    env: z.record(z.string(), z.string()).exactOptional().describe('Variables laid over those of the command.'),
    sandbox: z
      .union([sandboxMode, z.literal('none')])
      .describe('The limits it will run under; `none` when nothing enforces them.'),
    network: z
      .boolean()
      .exactOptional()
      .describe('Of a command: whether it will reach beyond this machine, and servers on it.'),
    background: z
      .literal(true)
      .exactOptional()
      .describe('Of a command: it goes on after the call has answered, without a time limit.'),
    attempt: z
      .int()
      .min(2)
      .exactOptional()
      .describe('It ran already, in the sandbox, and failed for what that blocked; a yes runs it again.'),
    justification: z
      .string()
      .exactOptional()
      .describe('Why the model says it needs more than the sandbox gives. Its own words, to be shown as such.'),
    contentHash: z
      .string()
      .exactOptional()
      .describe('sha256 of exactly what would be done and where; the yes holds for nothing else.'),
    reason: z.string().describe('Why it is asked for.'),
    rule: ruleRef,
    decisions: z.array(decision).describe('The answers to offer.'),
    always: alwaysRule.exactOptional(),
    facts: z.record(z.string(), z.unknown()).exactOptional().describe('All that policy knew when it asked.'),
    answerableBy: z.array(z.string()).describe('clientIds connected when it was asked.'),
    form: form
      .exactOptional()
      .describe('Of an `elicitation`: `approved` brings `answers` to it; `denied` says no, `abort` cancels.'),
  })
  .describe(
    'A question to the user. It binds to exactly this command or patch, and survives the process; an `elicitation` is withdrawn when the process ends, since the call that asks ends with it.',
  )

export const approval = z
  .object({
    ...approvalRequest.shape,
    state: z.enum(['pending', 'approved']).describe('`approved`: decided, but the call has not begun.'),
    decision: decision.exactOptional().describe('Once it is approved.'),
    note: z.string().exactOptional().describe('What the user added to the answer.'),
    by: actor.exactOptional().describe('Who answered.'),
  })
  .describe('An approval while it is part of the state: pending, or approved and not begun.')

export type Form = z.infer<typeof form>
export type FormField = z.infer<typeof formField>
export type AskedFile = z.infer<typeof askedFile>
export type ApprovalKind = z.infer<typeof approvalKind>
export type AlwaysRule = z.infer<typeof alwaysRule>
export type ApprovalRequest = z.infer<typeof approvalRequest>
export type Approval = z.infer<typeof approval>
