import * as z from 'zod'
import { approvalRequest } from './approval.ts'
import { actor, answers, contentItem, decision, outputSchema, queuedMessage, sideFile } from './input.ts'
import { failure, fileChangeEntry, item, ruleRef } from './item.ts'
import { settings, settingsChange } from './settings.ts'

const count = z.int().min(0)

export const tokenCounts = z
  .object({ inputTokens: count, cachedInputTokens: count, outputTokens: count, reasoningTokens: count })
  .describe('As the provider counted them. Input includes cached input; output includes reasoning.')

export const plan = z
  .object({
    explanation: z.string().exactOptional(),
    steps: z.array(z.object({ step: z.string(), status: z.enum(['pending', 'inProgress', 'completed']) })),
  })
  .describe('What the model says it will do.')

export const denial = z
  .object({ itemId: z.string(), title: z.string(), reason: z.string() })
  .describe('A call that was not run because the answer was no.')

export const lostRange = z
  .object({ fromSeq: z.int(), toSeq: z.int(), reason: z.string() })
  .describe('Numbers of events that the log no longer holds.')

export const turnOutcome = z.enum(['completed', 'interrupted', 'failed']).describe('How a turn ended.')

export const answerProblem = z
  .string()
  .exactOptional()
  .describe('Where the final message of a completed turn does not satisfy its `outputSchema`.')

const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape, about: string) =>
  z.object({ type: z.literal(type), ...shape }).describe(about)

export const conversationEvent = z.discriminatedUnion('type', [
  event(
    'conversation.created',
    {
      cwd: z.string(),
      settings,
      program: z.string().describe('Name and version of what wrote it.'),
      title: z.string().exactOptional(),
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
    { cwd: z.string(), by: actor.exactOptional() },
    'Resumed with another working directory.',
  ),
  event('conversation.renamed', { name: z.string(), by: actor.exactOptional() }, 'The user gave it a name.'),
  event('conversation.archived', { archived: z.boolean(), by: actor.exactOptional() }, 'Put away, or taken back.'),
  event(
    'conversation.recovered',
    {
      by: z.object({ pid: z.int(), program: z.string() }).describe('The process that recovered it.'),
      lost: z.array(lostRange),
      tornBytes: z.int().min(0).describe('Bytes of an unfinished last line, kept aside.'),
      parked: z.string().nullable().describe('The turn that waits for the user.'),
      pending: z.array(z.string()).describe('Approvals that are pending again, with their old ids.'),
      text: z.string().describe('One line for people.'),
    },
    'First event after a crash, before the events that settle what the crash left open.',
  ),
  event(
    'conversation.upgraded',
    {
      from: z.int().describe('Version of the events before it.'),
      to: z.int().describe('Version of the events after it, as they are stored. Delivered are all in the newest.'),
    },
    'A newer program goes on in this log. Programs of an earlier version can only read it from here on.',
  ),
  event(
    'context.set',
    {
      instructions: sideFile,
      tools: sideFile,
      sessionContext: sideFile.describe('Side file: cwd, date, git.'),
      adapter: z.string().describe('Which wire requests are written for, with its version.'),
      instructionFiles: z.array(z.string()).describe('Paths of the AGENTS.md files that were read.'),
    },
    'What precedes the messages in a model request. Logged before the first model call and when it changes.',
  ),
  event('message.queued', { message: queuedMessage }, 'A message waits in the inbox.'),
  event(
    'message.edited',
    { messageId: z.string(), content: z.array(contentItem).describe('All of it, new.'), by: actor.exactOptional() },
    'A waiting message was changed.',
  ),
  event('message.removed', { messageId: z.string(), by: actor.exactOptional() }, 'A waiting message was taken back.'),
  event(
    'message.consumed',
    { messageId: z.string() },
    'A waiting message leaves the inbox; its `userMessage` item is in the same write.',
  ),
  event(
    'turn.started',
    {
      turnId: z.string(),
      trigger: z.enum(['message', 'inbox']).describe('Sent now, or taken from the inbox.'),
      outputSchema: outputSchema.exactOptional(),
    },
    'The model gets to work; its user message follows.',
  ),
  event(
    'turn.parked',
    { turnId: z.string(), reason: z.string().describe('One sentence.') },
    'The turn waits for a person and nobody is there; any answer continues it.',
  ),
  event(
    'turn.continued',
    { turnId: z.string(), by: actor.exactOptional() },
    'A parked turn goes on by `conversation/continue`.',
  ),
  event(
    'turn.ended',
    {
      turnId: z.string(),
      outcome: turnOutcome,
      failure: failure.exactOptional().describe('Why, when it failed.'),
      usage: tokenCounts.describe('Of the whole turn.'),
      denials: z.array(denial),
      answerProblem,
    },
    'Last event of a turn. Synced to disk before any client sees it.',
  ),
  event(
    'model.requested',
    { turnId: z.string(), attempt: z.int().min(1) },
    'A model call begins; with attempt > 1 what the failed one left open was discarded.',
  ),
  event(
    'model.responded',
    {
      turnId: z.string(),
      adapter: z.string().describe('Which wire `parts` belong to.'),
      parts: z.array(z.unknown()).describe("The provider's own form of it."),
      text: z.string().describe('Its messages, joined.'),
      calls: z
        .array(z.object({ itemId: z.string(), callId: z.string(), name: z.string(), arguments: z.string() }))
        .describe('Its calls in order; `callId` is the provider’s.'),
    },
    'The whole response arrived; no call runs before this. Clients get it elided.',
  ),
  event('item.started', { turnId: z.string().exactOptional(), item }, 'An item opens.'),
  event(
    'item.delta',
    { itemId: z.string(), text: z.string() },
    'More text of a message, or output of a command (its first 64 KiB). A courtesy: closing carries the whole.',
  ),
  event(
    'item.progress',
    {
      itemId: z.string(),
      totalBytes: z.int().describe('Output so far.'),
      tail: z.string().describe('Its newest lines.'),
    },
    'Output past the first 64 KiB: the count and the newest lines, at most 4 a second.',
  ),
  event(
    'execution.started',
    {
      itemId: z.string(),
      attempt: z.int().min(1).describe('2: again, with more rights, after `execution.failed`.'),
      decidedBy: z
        .union([z.object({ rule: ruleRef, reason: z.string() }), z.object({ approvalId: z.string() })])
        .describe('The rule that allowed it, or the approval.'),
      payloadHash: z.string().describe('sha256 of exactly what will be run.'),
      changes: z
        .array(fileChangeEntry)
        .exactOptional()
        .describe('Of a patch: with the hashes, the journal that tells after a crash which files it reached.'),
    },
    'The only thing after which a process may start or a file may change. Synced before it takes effect.',
  ),
  event(
    'execution.failed',
    {
      itemId: z.string(),
      attempt: z.int().min(1).describe('The one that has ended.'),
      item: item.describe('How it ended: the outcome that stands unless the next attempt starts.'),
    },
    'A command failed for what its sandbox blocked. It is not run again without the approval that follows.',
  ),
  event(
    'item.completed',
    { turnId: z.string().exactOptional(), item },
    'An item closes and is never changed again. Holds all of it.',
  ),
  event(
    'item.discarded',
    { itemId: z.string(), reason: z.string().describe('One sentence.') },
    'An unfinished item is void: its stream was cut, and the retry is a new item.',
  ),
  event('approval.requested', { approval: approvalRequest }, 'A question for the user. Answerable at once.'),
  event(
    'approval.decided',
    {
      approvalId: z.string(),
      decision: z
        .union([decision, z.literal('withdrawn')])
        .describe('`withdrawn`: what it asked for is gone; nothing was run.'),
      note: z.string().exactOptional().describe('What the user added; the model is told.'),
      answers: answers.exactOptional().describe('To the form of an `elicitation`, with `approved`.'),
      by: actor.describe('Who answered first.'),
    },
    'The answer. Synced to disk before anyone sees it.',
  ),
  event('plan.updated', { plan }, "The model's plan, whole."),
  event(
    'usage.updated',
    {
      turnId: z.string(),
      counts: tokenCounts,
      contextWindow: z.int().exactOptional().describe('Tokens the model can take, where known.'),
    },
    'Tokens of one model call.',
  ),
  event(
    'retry.scheduled',
    {
      turnId: z.string(),
      retryAt: z.number().describe('ms since the epoch'),
      attempt: z.int().describe('The one to come.'),
      failure,
    },
    'The model call failed and will be tried again; clients show the countdown.',
  ),
])

export const envelope = z
  .object({
    conversationId: z.string(),
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
  { turnId: z.string(), elided: z.literal(true) },
  "A `model.responded` as clients get it: numbered like the one in the log, without the provider's parts.",
)

export const deliveredEnvelope = envelope
  .extend({ event: z.union([elidedResponse, conversationEvent]) })
  .describe('An event as clients receive it, in `conversation/event` and from `conversation/stream`.')

export type Plan = z.infer<typeof plan>
export type LostRange = z.infer<typeof lostRange>
export type TurnOutcome = z.infer<typeof turnOutcome>
export type ConversationEvent = z.infer<typeof conversationEvent>
export type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>
export type Envelope = z.infer<typeof envelope>
export type TokenCounts = z.infer<typeof tokenCounts>
