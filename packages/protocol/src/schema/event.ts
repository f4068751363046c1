import * as z from 'zod'
import { access } from './access.ts'
import { approvalRequest, yesParts } from './approval.ts'
import { changedPath, fileChangeEntry, ruleRef, runLimits } from './call-parts.ts'
import {
  answerProblem,
  compactionCounts,
  denial,
  forward,
  listedSkills,
  lostRange,
  outputWait,
  plan,
  stopReason,
  tokenCounts,
  turnOutcome,
} from './event-parts.ts'
import { hookRun, hookRunning, hooksStarted } from './hook-run.ts'
import { approvalId, conversationId, itemId, messageId, requestKey, turnId } from './ids.ts'
import {
  actor,
  answers,
  contentItem,
  decision,
  limitName,
  missingKey,
  queuedMessage,
  sideFile,
  turnOptions,
} from './input.ts'
import { compactionTrigger, failure, item } from './item.ts'
import { jsonText, leftAlone, openForm, providerForm } from './redaction-marks.ts'
import { modelChoice, reviewEnforcement, settings, settingsChange } from './settings.ts'

const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape, about: string) =>
  z.object({ type: z.literal(type), ...shape }).describe(about)

export const conversationEvent = z.discriminatedUnion('type', [
  event(
    'conversation.created',
    {
      cwd: leftAlone(z.string(), 'path'),
      settings,
      program: z.string().describe('Name and version of the program that wrote it.'),
      title: z.string().exactOptional(),
      access: access.exactOptional().describe('Left out where the server had no users.'),
    },
    'First event of a log, written with the first message.',
  ),
  event(
    'conversation.configured',
    { settings: settingsChange, by: actor.exactOptional() },
    'Settings changed; effective at the next model call, policy and sandbox at the next decision.',
  ),
  event(
    'conversation.moved',
    {
      cwd: leftAlone(z.string(), 'path'),
      local: z.literal(true).exactOptional().describe('It left its environment for the machine of the server.'),
      by: actor.exactOptional(),
    },
    'The conversation was resumed or imported with another working directory.',
  ),
  event('conversation.renamed', { name: z.string(), by: actor.exactOptional() }, 'The user named the conversation.'),
  event(
    'conversation.archived',
    { archived: z.boolean(), by: actor.exactOptional() },
    'The conversation was archived, or taken back from the archive.',
  ),
  event(
    'conversation.shared',
    { access: access.describe('The complete new value, which replaces the former one.'), by: actor.exactOptional() },
    'Users or links that reach the conversation changed.',
  ),
  event(
    'conversation.recovered',
    {
      by: z.object({ pid: z.int(), program: z.string() }).describe('The process that recovered it.'),
      lost: z.array(lostRange),
      tornBytes: z.int().min(0).describe('Bytes of an unfinished last line, kept aside.'),
      parked: turnId.nullable().describe('The turn that waits for the user.'),
      pending: z.array(approvalId).describe('Approvals that are pending again, with their old ids.'),
      text: z.string().describe('One line for people.'),
    },
    'First event after a crash, before the events that settle open turns and items.',
  ),
  event(
    'conversation.upgraded',
    {
      from: z.int().describe('Version of the events before it.'),
      to: z.int().describe('Version of the events after it, as stored. Clients get all events in the newest version.'),
    },
    'A newer program goes on in this log. Programs of an earlier version can only read it from here on.',
  ),
  event(
    'context.set',
    {
      instructions: sideFile,
      tools: sideFile,
      sessionContext: sideFile.describe('Side file: cwd, date, git.'),
      adapter: z.string().describe('Model API that requests are written for, with its version.'),
      instructionFiles: z
        .array(z.string())
        .describe(
          'Paths of the instruction files that were read: AGENTS.md, or CLAUDE.md where a folder has no AGENTS.md.',
        ),
      skills: listedSkills.exactOptional(),
    },
    'Context that precedes the messages in a model request. Logged before the first model call and when it changes.',
  ),
  event(
    'context.cleared',
    {
      turnId,
      itemId: itemId.describe('The item that shows it: a `contextCompaction`, with `why` a notice.'),
      itemIds: z.array(itemId).describe('Calls and commands that lost their results; with `why` all items that left.'),
      ...compactionCounts,
      trigger: compactionTrigger,
      why: z
        .literal('refused')
        .exactOptional()
        .describe('The provider refused the items: calls left with their results, and one line stands there.'),
      seqs: z
        .array(z.int())
        .exactOptional()
        .describe('With `why`: seqs of the events of the items that left the view.'),
      by: actor.exactOptional(),
    },
    "Results leave the model's view; a line in the place of each says how to read it again.",
  ),
  event(
    'context.compacted',
    {
      turnId,
      itemId: itemId.describe('The `contextCompaction` item that shows it.'),
      from: z.int().describe('Seq of the first event it stands for.'),
      to: z.int().describe('Seq of the last event it stands for; never between a call and its result.'),
      summary: z.string().describe('Text of a model; it may be empty or wrong.'),
      carried: sideFile.describe("Side file: the user's messages and the notes that the engine carries word for word."),
      ...compactionCounts,
      trigger: compactionTrigger,
      by: actor.exactOptional(),
    },
    "The model's view starts here: carried words and summary stand for `from` to `to`. Clients still see everything.",
  ),
  event(
    'context.restored',
    {
      seq: z.int().describe('Seq of the `context.compacted` or `context.cleared` that no longer holds.'),
      tokensAfter: z.int().min(0).describe('Estimated tokens of the next request.'),
      by: actor.exactOptional(),
    },
    'The newest compaction was undone. Nothing is compacted automatically until the next turn has ended.',
  ),
  event('message.queued', { message: queuedMessage }, 'A message waits in the inbox.'),
  event(
    'message.edited',
    { messageId, content: z.array(contentItem).describe('New content, whole.'), by: actor.exactOptional() },
    'A waiting message was changed.',
  ),
  event('message.removed', { messageId, by: actor.exactOptional() }, 'A waiting message was taken back.'),
  event(
    'message.consumed',
    { messageId },
    'A waiting message leaves the inbox; its `userMessage` item is in the same write.',
  ),
  event(
    'turn.started',
    {
      turnId,
      trigger: z
        .enum(['message', 'inbox', 'compaction'])
        .describe('`message`: sent now. `inbox`: taken from the inbox. `compaction`: no message, only a compaction.'),
      ...turnOptions,
      enforcement: reviewEnforcement,
      requestKey: requestKey.exactOptional(),
    },
    'A turn starts; its user message follows.',
  ),
  event(
    'turn.parked',
    {
      turnId,
      reason: z.string().describe('For people.'),
      limit: limitName.exactOptional().describe('A limit of the conversation is reached.'),
      missingKey: missingKey.exactOptional(),
    },
    'The turn waits: no client that can answer is connected, and any answer continues it; a `limit` is reached; or a server of a shared store has no key for the model.',
  ),
  event(
    'turn.continued',
    { turnId, by: actor.exactOptional(), requestKey: requestKey.exactOptional() },
    'A parked turn goes on, by `conversation/continue` or since a server has the key that it waited for. A limit that it waited at counts from here.',
  ),
  event(
    'turn.ended',
    {
      turnId,
      outcome: turnOutcome,
      failure: failure.exactOptional().describe('Reason, when the turn failed.'),
      stopReason: stopReason.exactOptional(),
      usage: tokenCounts.describe('Tokens of the whole turn.'),
      denials: z.array(denial),
      answerProblem,
    },
    'Last event of a turn. Synced to disk before any client sees it.',
  ),
  event(
    'model.requested',
    {
      turnId,
      attempt: z.int().min(1),
      request: leftAlone(z.string(), 'hash')
        .exactOptional()
        .describe(
          'sha256 of the request to the model, from the log and its side files: model, effort, instructions, tools, messages, schema of the answer.',
        ),
    },
    'A model call starts. With `attempt` > 1 the open items of the failed one were discarded.',
  ),
  event(
    'model.responded',
    {
      turnId,
      adapter: z.string().describe('Model API that `parts` belong to.'),
      parts: z.array(openForm(z.unknown(), providerForm)).describe("The provider's own form of it."),
      text: z.string().describe('Messages of the response, joined.'),
      calls: z
        .array(
          z.object({ itemId, callId: leftAlone(z.string(), 'id'), name: z.string(), arguments: jsonText(z.string()) }),
        )
        .describe("Calls of the response in order; `callId` is the provider's id."),
    },
    'The whole response arrived; no call runs before this. Clients get it elided.',
  ),
  event('item.started', { turnId: turnId.exactOptional(), item }, 'An item opens.'),
  event(
    'item.delta',
    { itemId, text: leftAlone(z.string(), 'stream') },
    'More text of a message, or output of a command (its first 64 KiB). Optional to handle: `item.completed` has the whole.',
  ),
  event(
    'item.progress',
    {
      itemId,
      totalBytes: z.int().describe('Bytes of output so far.'),
      tail: leftAlone(z.string(), 'stream').describe('Newest lines of the output.'),
    },
    'Output past the first 64 KiB: the count and the newest lines, at most 4 a second.',
  ),
  event(
    'execution.started',
    {
      itemId,
      attempt: z.int().min(1).describe('2: run again with more rights after `execution.failed`.'),
      decidedBy: z
        .union([z.object({ rule: ruleRef, reason: z.string() }), z.object({ approvalId })])
        .describe('The rule that allowed it, or the approval.'),
      payloadHash: leftAlone(z.string(), 'hash').describe('sha256 of the exact command or patch.'),
      limits: runLimits.exactOptional().describe('Limits that a command runs under.'),
      changes: z
        .array(fileChangeEntry)
        .exactOptional()
        .describe('Files of a patch. Their hashes tell after a crash which files were changed.'),
    },
    'A call starts: no process starts and no file changes before this event. Synced before it takes effect.',
  ),
  event(
    'execution.failed',
    {
      itemId,
      attempt: z.int().min(1).describe('Number of the attempt that ended.'),
      item: item.describe('Outcome of the attempt; it is final unless the next attempt starts.'),
    },
    'A command failed because its sandbox blocked it. It is run again only with the approval that follows.',
  ),
  event(
    'files.changed',
    {
      itemId: itemId.describe('The call.'),
      count: z.int().min(0).describe('Files that changed.'),
      files: z.array(changedPath).describe('The files; empty when `list` has them.'),
      list: sideFile.exactOptional().describe('Side file: the files as JSON, where they are many.'),
    },
    'Files that changed while a call ran, with their contents before and after. The former contents are kept for a rewind.',
  ),
  event(
    'hooks.started',
    hooksStarted,
    'Hooks of a moment run from here on. Synced before the first starts. A hook without a later `hook.ran` was cut off with its program.',
  ),
  event(
    'hook.running',
    hookRunning,
    'A hook that the turn waits for has run for a second. The event only reports progress.',
  ),
  event('hook.ran', hookRun, 'A hook ran. Everything that it changes follows from this event.'),
  event(
    'item.completed',
    { turnId: turnId.exactOptional(), item },
    'An item closes and is never changed again. Holds the whole item. Its type may differ from the type at its start: a message may turn out to be reasoning.',
  ),
  event(
    'item.discarded',
    { itemId, reason: z.string().describe('One sentence.') },
    'An unfinished item is void: its stream was cut, and the retry is a new item.',
  ),
  event('approval.requested', { approval: approvalRequest }, 'A question for the user. Answerable at once.'),
  event(
    'approval.decided',
    {
      approvalId,
      decision: z
        .union([decision, z.literal('withdrawn')])
        .describe('`withdrawn`: the request no longer applies; nothing was run.'),
      note: z.string().exactOptional().describe('Note of the user; the model gets it.'),
      answers: answers.exactOptional().describe('Answers to the form of the approval, with `approved`.'),
      by: actor.describe('Client that answered first.'),
      ...yesParts,
    },
    'An approval was decided. Synced to disk before any client sees it.',
  ),
  event('plan.updated', { plan }, "The model's plan, whole."),
  event(
    'forwards.changed',
    { forwards: z.array(forward), by: actor.exactOptional() },
    'Ports of the sandboxed commands that programs of the machine reach from now on: all of them.',
  ),
  event(
    'waits.changed',
    { waits: z.array(outputWait), by: actor.exactOptional() },
    'Lines of running commands that users wait for from now on: all of them. With the notice of a line that was printed it comes in one write.',
  ),
  event(
    'usage.updated',
    {
      turnId,
      counts: tokenCounts,
      by: modelChoice.exactOptional().describe('Model that was asked.'),
      contextWindow: z.int().exactOptional().describe('Context window of the model in tokens, where known.'),
      purpose: z
        .literal('compaction')
        .exactOptional()
        .describe('The call wrote a summary; its counts say nothing about the size of the conversation.'),
      stopReason: stopReason.exactOptional().describe('Reason why the response was cut; left out for a whole one.'),
      stopWords: z.string().exactOptional().describe("The provider's own words on that."),
      paused: z
        .literal(true)
        .exactOptional()
        .describe('The provider paused the response, and goes on with it in the next model call.'),
    },
    'Tokens of one model call, in the same write as its `model.responded`.',
  ),
  event(
    'retry.scheduled',
    {
      turnId,
      retryAt: z.number().describe('ms since the epoch'),
      attempt: z.int().describe('Number of the next attempt.'),
      attempts: z.int().exactOptional().describe('Number of the last attempt, if all fail in this way.'),
      failure,
      asked: z.literal(true).exactOptional().describe('The provider named this wait.'),
      network: z.literal(true).exactOptional().describe('No connection came about; time limits the attempts.'),
    },
    'The model call failed and will be tried again; clients show the countdown.',
  ),
  event(
    'model.fellBack',
    { turnId, ...modelChoice.shape, failure: failure.describe('Last failure of the model before.') },
    'Another model of `fallback_models` makes the model calls of this turn from here on.',
  ),
])

export const envelope = z
  .object({
    conversationId,
    seq: z.int().min(1).describe('Dense from 1, except for ranges a `conversation.recovered` names.'),
    at: z.number().describe('ms since the epoch; a label, never an order.'),
    event: conversationEvent,
    crc: z
      .string()
      .exactOptional()
      .describe('Checksum of the log line; with `seq` it is the cursor. Absent when the line was edited by hand.'),
  })
  .describe('An event in its place in the log.')

export const elidedResponse = event(
  'model.responded',
  { turnId, elided: z.literal(true) },
  "A `model.responded` as clients get it: numbered as in the log, without the provider's parts.",
)

export const deliveredEnvelope = envelope
  .extend({ event: z.union([elidedResponse, conversationEvent]) })
  .describe('An event as clients receive it, in `conversation/event` and from `conversation/stream`.')

export type ConversationEvent = z.infer<typeof conversationEvent>
export type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>
export type Envelope = z.infer<typeof envelope>
