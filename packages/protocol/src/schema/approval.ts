import * as z from 'zod'
import { fileChangeEntry, ruleRef, storedFacts } from './call-parts.ts'
import { approvalId, clientId, itemId, turnId } from './ids.ts'
import { actor, answer, answers, decision, sessionScope } from './input.ts'
import { leftAlone } from './redaction-marks.ts'
import { sandboxMode } from './settings.ts'

export const approvalKind = z
  .enum(['command', 'patch', 'escalation', 'network', 'mcpTool', 'read', 'elicitation', 'question', 'plan'])
  .describe(
    'Kind of permission. `escalation`: run outside the sandbox. `read`: read outside the allowed roots. `elicitation`: an MCP server asks the user something while its call runs; see `form`. `question`: the model asks the user something; see `form`. `plan`: the model hands over a plan; its `form` chooses the mode to work in.',
  )

export const formField = z
  .object({
    name: z.string().describe('Key of its answer.'),
    title: z.string().describe('Label to show.'),
    description: z.string().exactOptional().describe('Further explanation, limits included.'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'choice', 'choices'])
      .describe('`choice`: the `value` of one of `choices`. `choices`: a list of the values of any number of them.'),
    format: z
      .enum(['email', 'uri', 'date', 'date-time'])
      .exactOptional()
      .describe('Format of a text, so that clients can check it while it is filled in.'),
    choices: z.array(z.object({ value: z.string(), title: z.string() })).exactOptional(),
    required: z.boolean(),
    default: answer.exactOptional().describe('Initial value; an answer that leaves the field out takes it.'),
  })
  .describe('Field of a form. All of its texts come from the MCP server or the model and are untrusted.')

export const form = z
  .object({
    fields: z.array(formField).describe('Fields in the order to show them; an empty list asks for a plain yes.'),
  })
  .describe('Form that an `elicitation`, a `question` or a `plan` asks the user to fill in.')

export const alwaysRule = z
  .object({
    label: z
      .string()
      .describe('Calls that the rule allows, as the key shows them; `…` at the end stands for further words.'),
    rule: z.string().describe('Exact lines that are added.'),
    file: leftAlone(z.string(), 'path').describe("The user's policy.toml."),
  })
  .describe(
    'The rule that `approvedAlways` adds. It is offered only if this call would run without a question under it.',
  )

const forSession = z
  .object({
    covers: z
      .string()
      .describe('Extent of `approvedForSession` in words: `exactly this command`, `any change to these files`.'),
    any: z
      .string()
      .exactOptional()
      .describe(
        'Words for the wider answer, where there is one: `any call of db/query`. It is `approvedForSession` with `scope: any`.',
      ),
  })
  .describe('Extent of the answers for the session. They end when the thing that they name changes.')

export const askedFile = z
  .object({
    ...fileChangeEntry.omit({ diff: true }).shape,
    real: z.string().exactOptional().describe('Real path of `path`, when links lead elsewhere.'),
    realMovedTo: z.string().exactOptional().describe('Real path of `movedTo`, when links lead elsewhere.'),
    deletedBytes: z.int().min(0).exactOptional().describe('Size of a file that is deleted.'),
    notes: z
      .array(z.string())
      .exactOptional()
      .describe('Remarks on the file, such as why it runs later, as ends of sentences that begin with its path.'),
  })
  .describe('A file of a patch that needs approval. `movedTo` makes an update a move.')

export const approvalRequest = z
  .object({
    id: approvalId.describe('Stays the same across restarts.'),
    itemId: itemId.describe(
      'The call that needs the approval; it stays open while the approval does. The call of an `elicitation` runs, and waits for the answer.',
    ),
    turnId,
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
        'Every file of a patch that approval covers, in the order of `detail`. Files outside the writable folders and protected files come first, then added or changed files, then deleted files.',
      ),
    command: z.array(z.string()).exactOptional().describe('Exact argv of a command.'),
    cwd: leftAlone(z.string(), 'path').describe('Folder where it will run.'),
    environment: z
      .string()
      .exactOptional()
      .describe('Name of the environment it will run in; left out for the machine of the server.'),
    env: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe('Variables added to the environment variables of the command, replacing those of the same name.'),
    sandbox: z.union([sandboxMode, z.literal('none')]).describe('Limits of the run; `none` without enforcement.'),
    network: z
      .boolean()
      .exactOptional()
      .describe('True when a command will reach the network, servers on its own machine included.'),
    background: z
      .literal(true)
      .exactOptional()
      .describe('A command goes on after the call has answered, without a time limit.'),
    attempt: z
      .int()
      .min(2)
      .exactOptional()
      .describe(
        'Number of the attempt that approval starts. The one before ran in the sandbox and failed because of it.',
      ),
    justification: z
      .string()
      .exactOptional()
      .describe('Reason of the model for needing more than the sandbox gives. Show it as the words of the model.'),
    contentHash: leftAlone(z.string(), 'hash')
      .exactOptional()
      .describe('sha256 of the exact action and its place; the approval holds for this action only.'),
    reason: z.string().describe('Reason for asking.'),
    askedAgain: z
      .enum(['planChanged', 'foreignAnswer', 'modeNotInForce'])
      .exactOptional()
      .describe(
        'Reason why an earlier yes does not count. `planChanged`: the call would do something else by now. `foreignAnswer`: another home or program recorded the yes. `modeNotInForce`: the mode of the answer to a `plan` is not set.',
      ),
    rule: ruleRef,
    reaches: sandboxMode
      .exactOptional()
      .describe(
        'Narrowest sandbox mode that permits the same as a yes. Present in a conversation of users, and for an `elicitation` that changes files. A yes of a user with a stricter limit is rejected.',
      ),
    decisions: z.array(decision).describe('Answers to offer.'),
    forSession: forSession
      .exactOptional()
      .describe('Present where `approvedForSession` is offered. Missing in questions of older servers.'),
    always: alwaysRule.exactOptional(),
    facts: storedFacts.exactOptional().describe('All facts the policy used.'),
    answerableBy: z.array(clientId).describe('Ids of the clients connected when the approval was requested.'),
    form: form
      .exactOptional()
      .describe(
        'Form of an `elicitation`, a `question` or a `plan`: `approved` comes with `answers` to it; `denied` declines (with a `plan`: keeps planning, with the note), `abort` cancels.',
      ),
  })
  .describe(
    'A question to the user about exactly this command or patch. It survives a restart, except for an `elicitation`, which is withdrawn because its call ends with the process.',
  )

const seal = leftAlone(z.string(), 'hash').describe(
  'Checksum of a yes, made with a key of the home it was given in. A restarted server asks anew about a yes without a valid one.',
)

/** Parts of a yes that bind it. */
export const yesParts = { scope: sessionScope.exactOptional(), seal: seal.exactOptional() }

export const approval = z
  .object({
    ...approvalRequest.shape,
    state: z.enum(['pending', 'approved']).describe('`approved`: decided, but the call has not started.'),
    decision: decision.exactOptional().describe('The decision, once it is approved.'),
    note: z.string().exactOptional().describe('Note of the user with the answer.'),
    answers: answers.exactOptional().describe('Answers to the form of a `question` or a `plan`, once it is approved.'),
    by: actor.exactOptional().describe('Client that answered.'),
    ...yesParts,
  })
  .describe('An approval while it is part of the state: pending, or approved and not started.')

export type Form = z.infer<typeof form>
export type FormField = z.infer<typeof formField>
export type AskedFile = z.infer<typeof askedFile>
export type ApprovalKind = z.infer<typeof approvalKind>
export type AlwaysRule = z.infer<typeof alwaysRule>
export type ApprovalRequest = z.infer<typeof approvalRequest>
export type Approval = z.infer<typeof approval>
