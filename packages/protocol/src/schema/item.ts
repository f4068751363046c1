import * as z from 'zod'
import { actor, contentItem } from './input.ts'
import { sandboxMode } from './settings.ts'
import { sideFile } from './side-file.ts'
import { failure } from './usage.ts'

export const itemStatus = z
  .enum(['proposed', 'awaitingApproval', 'inProgress', 'completed', 'failed', 'denied', 'interrupted', 'unknown'])
  .describe(
    'Open: `proposed` (the model asked for it), `awaitingApproval`, `inProgress`. Final: `completed`, `failed`, `denied` (not run: the user or a rule said no), `interrupted`, `unknown` (it was started, and the program ended before it reported).',
  )

export const ruleRef = z
  .object({ name: z.string(), file: z.string().exactOptional(), line: z.int().exactOptional() })
  .describe('The rule that decided: a built-in by name, or a line of a policy file.')

export const runLimits = z
  .object({
    sandbox: z
      .union([sandboxMode, z.literal('none')])
      .describe('What the sandbox lets it write to; `none`: nothing limits it but the rights of the user.'),
    network: z.boolean().describe('Whether it can reach beyond this machine, and servers on it.'),
  })
  .describe('The limits of one run.')

export const sandboxBlock = z
  .object({
    paths: z.array(z.string()).describe('Files and folders that its limits keep it from; absolute.'),
    network: z.boolean().describe('It tried to reach a network that it did not have.'),
  })
  .describe('What a command that failed had asked for and its sandbox does not permit.')

export const decisionRecord = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']).describe('What the rules said; `ask` was put to the user.'),
    rule: ruleRef,
    reason: z.string().describe('One sentence.'),
    code: z.string().exactOptional().describe('Stable name of why it is denied, for programs.'),
    approvalId: z.string().exactOptional(),
    answer: z.string().exactOptional().describe("The user's decision, where one was asked for."),
    by: actor.exactOptional().describe('Who answered.'),
    note: z.string().exactOptional().describe('What the user added to the answer.'),
    limits: runLimits.exactOptional().describe('Of a command: what it ran under, or would have.'),
  })
  .describe('Why a call was run or not.')

export const output = z
  .object({
    head: z.string().describe('Its beginning.'),
    tail: z.string().describe('Empty when `head` is everything.'),
    totalBytes: z.int().min(0).describe('Bytes written.'),
    omittedBytes: z.int().min(0).describe('Bytes between head and tail.'),
    file: sideFile.exactOptional().describe('All bytes, when they do not fit in head.'),
    binary: z.literal(true).exactOptional().describe('It is not text.'),
  })
  .describe('What a command wrote, stdout and stderr in true order, clipped for display.')

const shown = {
  id: z.string().describe('Unique in its conversation; kept by a fork.'),
  status: itemStatus,
  title: z.string().describe('One line; with `text` enough to show an item of an unknown type.'),
  text: z.string().describe('The whole of it as text: message, command line, arguments.'),
}

/** What every call of the model has; a client shows calls from these fields and never looks at a tool's name. */
const call = {
  ...shown,
  tool: z.string().describe('The name the model called; for people, not for clients to switch on.'),
  readOnly: z.literal(true).exactOptional().describe('A look-up: runs in parallel with its neighbours.'),
  attempt: z.int().min(1).exactOptional().describe('2: run again with more rights.'),
  decision: decisionRecord.exactOptional(),
  restorable: z
    .literal(false)
    .exactOptional()
    .describe('There is a secret in what would be done, kept in memory only: it is not run after a restart.'),
  facts: z.record(z.string(), z.unknown()).exactOptional().describe('All that policy knew when it decided.'),
  modelText: z.string().exactOptional().describe('Exactly what the model was told, at most 32 KiB.'),
  failure: failure.exactOptional(),
  durationMs: z.number().exactOptional().describe('How long it ran.'),
}

export const fileChangeEntry = z
  .object({
    path: z.string().describe('As the patch named it, relative to cwd where possible.'),
    kind: z.enum(['add', 'update', 'delete']),
    movedTo: z.string().exactOptional().describe('Its new path, when it is renamed.'),
    additions: z.int().describe('Lines.'),
    deletions: z.int().describe('Lines.'),
    diff: z.string().describe('Unified diff, for display.'),
    before: z.string().nullable().describe('sha256 of the file before, null when it did not exist.'),
    after: z.string().nullable().describe('sha256 of the file after, null when it is deleted.'),
  })
  .describe('One file of a patch.')

export const item = z.discriminatedUnion('type', [
  z
    .object({
      ...shown,
      type: z.literal('userMessage'),
      content: z.array(contentItem),
      messageId: z.string().exactOptional().describe('The one from `conversation/sendMessage`.'),
      by: actor.exactOptional(),
    })
    .describe('What the user said.'),
  z.object({ ...shown, type: z.literal('agentMessage') }).describe('What the model said; `text` is Markdown.'),
  z
    .object({ ...shown, type: z.literal('reasoning') })
    .describe("A summary of the model's reasoning, as the provider gave it."),
  z
    .object({
      ...call,
      type: z.literal('commandExecution'),
      command: z.array(z.string()).describe('Exact argv.'),
      cwd: z.string(),
      escalation: z.string().exactOptional().describe("The model's reason to run outside the sandbox."),
      network: z.string().exactOptional().describe("The model's reason to use the network."),
      sandboxBlock: sandboxBlock.exactOptional(),
      background: z.literal(true).exactOptional().describe('It goes on after the call has answered.'),
      exitCode: z.int().nullable().exactOptional().describe('Null when a signal ended it.'),
      signal: z.string().exactOptional().describe('The signal that ended it.'),
      output: output.exactOptional(),
    })
    .describe('A command the model wants to run or ran.'),
  z
    .object({
      ...call,
      type: z.literal('fileChange'),
      changes: z.array(fileChangeEntry),
      patchHash: z.string().describe('sha256 of the exact patch text.'),
    })
    .describe('A patch the model wants to apply or applied; all of its files or none.'),
  z
    .object({
      ...call,
      type: z.literal('toolCall'),
      input: z.string().describe('The arguments, as JSON text.'),
      output: output.exactOptional().describe('What came back, where that can be much.'),
    })
    .describe('Any other tool.'),
  z
    .object({
      ...shown,
      type: z.literal('shellCommand'),
      command: z.string().describe('As typed, without the `!`.'),
      cwd: z.string(),
      exitCode: z.int().nullable().exactOptional().describe('Null when a signal ended it.'),
      durationMs: z.number().exactOptional().describe('How long it ran.'),
      output: output.exactOptional(),
      modelText: z.string().exactOptional().describe('What the model is told of it.'),
      failure: failure.exactOptional().describe('Why it could not start, or why its end is unknown.'),
      by: actor.exactOptional(),
    })
    .describe("The user's own `!` command."),
  z
    .object({
      ...shown,
      type: z.literal('notice'),
      level: z.enum(['info', 'warning', 'error']),
      code: z.string().describe('Stable, for programs.'),
    })
    .describe('Something the conversation says about itself, in its place in the transcript.'),
])

export type ItemStatus = z.infer<typeof itemStatus>
export type RuleRef = z.infer<typeof ruleRef>
export type DecisionRecord = z.infer<typeof decisionRecord>
export type RunLimits = z.infer<typeof runLimits>
export type SandboxBlock = z.infer<typeof sandboxBlock>
export type Output = z.infer<typeof output>
export type FileChangeEntry = z.infer<typeof fileChangeEntry>
export type Item = z.infer<typeof item>
export type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>
export type CallItem = ItemOf<'commandExecution' | 'fileChange' | 'toolCall'>
