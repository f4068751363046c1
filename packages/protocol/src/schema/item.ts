import * as z from 'zod'
import {
  callKind,
  callLocation,
  decisionRecord,
  endedCommand,
  fileChangeEntry,
  finding,
  hint,
  output,
  sandboxBlock,
  storedFacts,
} from './call-parts.ts'
import { itemId, messageId, requestKey } from './ids.ts'
import { actor, contentItem, messageCall, storedImage } from './input.ts'
import { jsonText, leftAlone } from './redaction-marks.ts'

export const compactionTrigger = z
  .enum(['auto', 'manual', 'contextTooLong'])
  .describe('`auto`: the window was almost full. `contextTooLong`: the provider rejected a request as too long.')

export const failure = z
  .object({
    code: z.string().describe('Stable, for programs: `rateLimited`, `auth`, `contextTooLong`, … New ones may appear.'),
    message: z.string().describe('Failure, cause and remedy in one or two sentences.'),
    fault: z
      .string()
      .exactOptional()
      .describe(
        '`message` without the words of the provider; without the remedy where nothing could be reached. Absent where it is all of `message`.',
      ),
    status: z.int().exactOptional().describe("The provider's HTTP status, where one was received."),
    refused: z
      .object({
        itemIds: z.array(itemId).describe("Items that the provider's message names; empty if it names no items."),
        seqs: z.array(z.int()).describe('Seqs of the events that brought them.'),
        what: z.string().describe('These items for people; empty without items.'),
      })
      .exactOptional()
      .describe(
        'The provider refuses content of the conversation, so each further request fails, too: `conversation/context/leaveOut` leaves these items out and continues.',
      ),
  })
  .describe('Reason of a failure.')

export const itemStatus = z
  .enum(['proposed', 'awaitingApproval', 'inProgress', 'completed', 'failed', 'denied', 'interrupted', 'unknown'])
  .describe(
    'Open: `proposed` (the model asked for it), `awaitingApproval`, `inProgress`. Final: `completed`, `failed`, `denied` (not run: the user or a rule said no), `interrupted`, `unknown` (it was started, and the program ended before it reported).',
  )

const shown = {
  id: itemId.describe('Unique in its conversation; kept by a fork.'),
  status: itemStatus,
  title: z.string().describe('One line; with `text` enough to show an item of an unknown type.'),
  text: z.string().describe('Whole content as text: message, command line, arguments.'),
}

/** Fields of every call of the model; clients show calls by these fields and never by the tool's name. */
const call = {
  ...shown,
  tool: z.string().describe('Name of the tool the model called. For display; clients must not depend on it.'),
  kind: callKind.exactOptional().describe('Left out in logs of earlier programs.'),
  locations: z
    .array(callLocation)
    .exactOptional()
    .describe('Files and folders that the call names, for clients that follow them; absent without any.'),
  readOnly: z
    .literal(true)
    .exactOptional()
    .describe('The call changes nothing and runs in parallel with its neighbours.'),
  attempt: z.int().min(1).exactOptional().describe('2: run again with more rights.'),
  decision: decisionRecord.exactOptional(),
  restorable: z
    .literal(false)
    .exactOptional()
    .describe('The call contains a secret that is kept in memory only, so it is not run after a restart.'),
  facts: storedFacts.exactOptional().describe('All facts the policy used.'),
  modelText: z.string().exactOptional().describe('Exact result given to the model, at most 32 KiB.'),
  hints: z
    .array(hint)
    .exactOptional()
    .describe(
      'Sentences that parley adds to the result of the tool: the end of `modelText`, each after a line break; absent without any.',
    ),
  notRun: z
    .literal(true)
    .exactOptional()
    .describe(
      'A stop, a restart, a lost link or a sandbox that could not be set up ended the call before anything of it ran.',
    ),
  failure: failure.exactOptional(),
  durationMs: z.number().exactOptional().describe('Run time in ms.'),
}

export const item = z.discriminatedUnion('type', [
  z
    .object({
      ...shown,
      type: z.literal('userMessage'),
      content: z.array(contentItem),
      calls: z.array(messageCall).exactOptional().describe('Calls that it makes before the model is asked.'),
      ofChecks: z
        .literal(true)
        .exactOptional()
        .describe('The server says it in the name of the user: its `calls` are the checks of the turn.'),
      messageId: messageId.exactOptional().describe('`messageId` of `conversation/sendMessage`.'),
      by: actor.exactOptional(),
    })
    .describe('A message of the user.'),
  z
    .object({
      ...shown,
      type: z.literal('agentMessage'),
      images: z
        .array(storedImage)
        .exactOptional()
        .describe(
          'The picture that the model made; empty if it is not kept. With it `text` describes the picture, and is part of the answer only if the model wrote nothing.',
        ),
      continues: z
        .literal(true)
        .exactOptional()
        .describe('It goes on with the message before it: both are of one response, and together one answer.'),
    })
    .describe('A message of the model; `text` is Markdown.'),
  z
    .object({
      ...shown,
      type: z.literal('reasoning'),
      raw: z.literal(true).exactOptional().describe('The reasoning as the model wrote it, not a summary of it.'),
    })
    .describe("The model's reasoning, as the provider gave it: a summary, or itself."),
  z
    .object({
      ...call,
      type: z.literal('commandExecution'),
      command: z.array(z.string()).describe('Exact argv.'),
      cwd: leftAlone(z.string(), 'path'),
      escalation: z.string().exactOptional().describe("The model's reason to run outside the sandbox."),
      network: z.string().exactOptional().describe("The model's reason to use the network."),
      sandboxBlock: sandboxBlock.exactOptional(),
      background: z.literal(true).exactOptional().describe('The command goes on after the call has answered.'),
      backgroundStart: z
        .object({
          stdin: z.enum(['pipe', 'terminal']),
          timeoutMs: z.number().exactOptional().describe('Time limit in ms; absent without a limit.'),
          tellWhen: z.string().exactOptional().describe('Pattern of the line that is reported to the model, once.'),
        })
        .exactOptional()
        .describe('How it was started in the background; left out for one that was sent there.'),
      exitCode: z.int().nullable().exactOptional().describe('Null when a signal ended it.'),
      signal: z.string().exactOptional().describe('The signal that ended it.'),
      output: output.exactOptional(),
      images: z.array(storedImage).exactOptional().describe('The image that its output is, which the model sees.'),
    })
    .describe('A command the model wants to run or ran.'),
  z
    .object({
      ...call,
      type: z.literal('fileChange'),
      changes: z.array(fileChangeEntry),
      patchHash: leftAlone(z.string(), 'hash').describe('sha256 of the exact patch text.'),
      rewind: z
        .object({
          to: z.int().describe('Seq of the event after which the files were so.'),
          from: z.int().describe('Seq of the event before it; a rewind to there undoes this one.'),
          by: actor,
        })
        .exactOptional()
        .describe('Present when a user brought files back to an earlier point; no model asked for it.'),
      remembered: z
        .object({ from: z.int().describe('Seq of the event before it; a rewind to there undoes it.'), by: actor })
        .exactOptional()
        .describe('Present when a user added a line to an instruction file; no model asked for it.'),
    })
    .describe('A patch the model wants to apply or applied; all of its files or none.'),
  z
    .object({
      ...call,
      type: z.literal('toolCall'),
      input: jsonText(z.string()).describe('The arguments, as JSON text.'),
      output: output.exactOptional().describe('Output, for tools that may return much.'),
      images: z.array(storedImage).exactOptional().describe('Images of the result, which the model sees.'),
      skill: z
        .object({
          name: z.string(),
          allowedTools: z
            .array(z.string())
            .exactOptional()
            .describe('Tools that it names: until the turn ends, effects of others are asked about.'),
        })
        .exactOptional()
        .describe('Skill with the instructions that the call returned.'),
      findings: z.array(finding).exactOptional().describe('Findings of a review, the gravest first.'),
      knownTools: z
        .array(z.string())
        .exactOptional()
        .describe('Names of all tools at that time; present where `tool` is not one of them.'),
    })
    .describe('A call of any other tool.'),
  z
    .object({
      ...shown,
      type: z.literal('shellCommand'),
      command: z.string().describe('As typed, without the `!`.'),
      cwd: leftAlone(z.string(), 'path'),
      exitCode: z.int().nullable().exactOptional().describe('Null when a signal ended it.'),
      durationMs: z.number().exactOptional().describe('Run time in ms.'),
      output: output.exactOptional(),
      modelText: z.string().exactOptional().describe('Text given to the model about it.'),
      failure: failure.exactOptional().describe('Why it could not start, or why its end is unknown.'),
      by: actor.exactOptional(),
      requestKey: requestKey.exactOptional().describe('Key of the request that started it.'),
    })
    .describe("The user's own `!` command."),
  z
    .object({
      ...shown,
      type: z.literal('contextCompaction'),
      trigger: compactionTrigger,
      instructions: z.string().exactOptional().describe("Focus of the summary, in the user's words."),
      failure: failure.exactOptional().describe('Why there is no summary.'),
      leftOut: z
        .object({ from: z.int().min(1), to: z.int().min(1) })
        .exactOptional()
        .describe(
          'Seqs in the conversation that this one was copied from: the copy went back, and `text` is a summary of these events. Its own events are not compacted.',
        ),
      by: actor.exactOptional(),
      requestKey: requestKey.exactOptional().describe('Key of the request that started it.'),
    })
    .describe("A compaction of the model's view; `text` is the summary. Clients still see everything before it."),
  z
    .object({
      ...shown,
      type: z.literal('notice'),
      level: z.enum(['info', 'warning', 'error']),
      code: z.string().describe('Stable, for programs.'),
      printed: itemId.exactOptional().describe('Background command that printed the awaited line.'),
      ended: z.array(endedCommand).exactOptional().describe('Background commands that the notice reports as ended.'),
      why: z
        .string()
        .exactOptional()
        .describe(
          'With the code `interrupted`: the reason of the client that stopped the turn; absent when a user interrupted it.',
        ),
      rule: z
        .object({ file: leftAlone(z.string(), 'path'), line: z.int() })
        .exactOptional()
        .describe("With the code `ruleAdded`: place of the rule that was added to the user's policy file."),
      typed: itemId.exactOptional().describe('Background command that received `text` from a user.'),
      by: actor.exactOptional().describe('Client that sent it.'),
    })
    .describe('A notice of the program about the conversation, in its place in the transcript.'),
])

export type CompactionTrigger = z.infer<typeof compactionTrigger>
export type ItemStatus = z.infer<typeof itemStatus>
export type Item = z.infer<typeof item>
export type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>
export type CallItem = ItemOf<'commandExecution' | 'fileChange' | 'toolCall'>
export type Failure = z.infer<typeof failure>
