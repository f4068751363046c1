import { z } from 'zod'
import { actor, inputItem } from './input.ts'
import { failure } from './usage.ts'

export const itemStatus = z.enum([
  'proposed',
  'awaitingApproval',
  'inProgress',
  'completed',
  'failed',
  'declined',
  'interrupted',
  'unknown',
])

export const sideFile = z
  .string()
  .describe('`sha256:<hex>` of a file beside the log; read it with `conversation/readFile`.')

export const ruleRef = z
  .object({ name: z.string(), file: z.string().exactOptional(), line: z.int().exactOptional() })
  .describe('The rule that decided: a built-in by name, or a line of a policy file.')

export const decisionRecord = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: ruleRef,
    reason: z.string(),
    code: z.string().exactOptional(),
    approvalId: z.string().exactOptional(),
    answer: z.string().exactOptional().describe("The user's decision, where one was asked for."),
    by: actor.exactOptional(),
    note: z.string().exactOptional(),
  })
  .describe('Why a call was run or not: what `parley why` prints.')

export const output = z
  .object({
    head: z.string(),
    tail: z.string().describe('Empty when `head` is everything.'),
    totalBytes: z.int().min(0),
    omittedBytes: z.int().min(0).describe('Bytes between head and tail.'),
    file: sideFile.exactOptional().describe('All bytes, when they do not fit in head.'),
    binary: z.literal(true).exactOptional(),
  })
  .describe('What a command wrote, stdout and stderr in true order, clipped for display.')

const shown = {
  id: z.string(),
  status: itemStatus,
  title: z.string().describe('One line; with `text` enough to show an item of an unknown type.'),
  text: z.string(),
}

/** What every call of the model has; a client shows calls from these fields and never looks at a tool's name. */
const call = {
  ...shown,
  tool: z.string().describe('The name the model called; for people, not for clients to switch on.'),
  readOnly: z.literal(true).exactOptional().describe('A look-up: runs in parallel with its neighbours.'),
  attempt: z.int().min(1).exactOptional(),
  decision: decisionRecord.exactOptional(),
  facts: z.record(z.string(), z.unknown()).exactOptional().describe('All that policy knew when it decided.'),
  modelText: z.string().exactOptional().describe('Exactly what the model was told, at most 32 KiB.'),
  failure: failure.exactOptional(),
  durationMs: z.number().exactOptional(),
}

export const fileChangeEntry = z.object({
  path: z.string().describe('As the patch named it, relative to cwd where possible.'),
  kind: z.enum(['add', 'update', 'delete']),
  movedTo: z.string().exactOptional(),
  additions: z.int(),
  deletions: z.int(),
  diff: z.string().describe('Unified diff, for display.'),
  before: z.string().nullable().describe('sha256 of the file before, null when it did not exist.'),
  after: z.string().nullable(),
})

export const item = z.discriminatedUnion('type', [
  z
    .object({
      ...shown,
      type: z.literal('userMessage'),
      content: z.array(inputItem),
      messageId: z.string().exactOptional(),
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
      background: z.literal(true).exactOptional(),
      exitCode: z.int().nullable().exactOptional(),
      signal: z.string().exactOptional(),
      output: output.exactOptional(),
    })
    .describe('A command the model wants to run or ran.'),
  z
    .object({ ...call, type: z.literal('fileChange'), changes: z.array(fileChangeEntry), patchHash: z.string() })
    .describe('A patch the model wants to apply or applied; all of its files or none.'),
  z
    .object({ ...call, type: z.literal('toolCall'), input: z.string().describe('The arguments, as JSON text.') })
    .describe('Any other tool.'),
  z
    .object({
      ...shown,
      type: z.literal('shellCommand'),
      command: z.string(),
      cwd: z.string(),
      exitCode: z.int().nullable().exactOptional(),
      durationMs: z.number().exactOptional(),
      output: output.exactOptional(),
      modelText: z.string().exactOptional(),
      by: actor.exactOptional(),
    })
    .describe("The user's own `!` command."),
  z
    .object({ ...shown, type: z.literal('notice'), level: z.enum(['info', 'warning', 'error']), code: z.string() })
    .describe('Something the conversation says about itself, in its place in the transcript.'),
])

export type ItemStatus = z.infer<typeof itemStatus>
export type RuleRef = z.infer<typeof ruleRef>
export type DecisionRecord = z.infer<typeof decisionRecord>
export type Output = z.infer<typeof output>
export type FileChangeEntry = z.infer<typeof fileChangeEntry>
export type Item = z.infer<typeof item>
export type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>
export type CallItem = ItemOf<'commandExecution' | 'fileChange' | 'toolCall'>
