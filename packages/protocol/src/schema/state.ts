import * as z from 'zod'
import { access } from './access.ts'
import { approval } from './approval.ts'
import { decisionRecord } from './call-parts.ts'
import {
  answerProblem,
  denial,
  forward,
  listedSkills,
  outputWait,
  plan,
  stopReason,
  tokenCounts,
  turnOutcome,
} from './event-parts.ts'
import { hookRef, hooksStarted } from './hook-run.ts'
import { approvalId, conversationId, itemId, messageId, requestKey, turnId } from './ids.ts'
import { limitName, messageCall, missingKey, queuedMessage, sideFile, turnOptions, turnPurpose } from './input.ts'
import { failure, item, itemStatus } from './item.ts'
import { jsonText } from './redaction-marks.ts'
import { modelChoice, reviewEnforcement, settings } from './settings.ts'

export const hooksSaid = z
  .object({
    outcome: z.enum(['passed', 'asked', 'stopped']).describe('The strictest of their outcomes.'),
    hook: hookRef.exactOptional().describe('Hook with that outcome; left out for `passed`.'),
    reason: z.string().exactOptional(),
    ran: z.array(hookRef).describe('Hooks that have run, in their order; after a crash the others follow.'),
    arguments: jsonText(z.string()).exactOptional().describe("Arguments that replace the model's."),
  })
  .describe('Findings of the hooks before a call.')

export const openItem = z
  .object({
    item,
    turnId: turnId.nullable(),
    output: z.string().describe('Output deltas so far, for calls; at most 64 KiB.'),
    progress: z
      .object({
        totalBytes: z.int().describe('Bytes of output so far.'),
        tail: z.string().describe('Newest lines of the output.'),
      })
      .nullable()
      .describe('Output past the first 64 KiB.'),
    executionStarted: z.boolean().describe('`execution.started` is in the log: the call may have had effects.'),
    decision: decisionRecord.exactOptional().describe('Decision that started it, once `execution.started` is there.'),
    failedExecution: item
      .exactOptional()
      .describe('Outcome of the attempt before; it is final unless the next one starts.'),
    hooks: hooksSaid.exactOptional().describe('Present once a hook before the call has run.'),
    askedHooks: z
      .array(hookRef)
      .exactOptional()
      .describe('Hooks that have ended about the waiting question; absent without any.'),
  })
  .describe('An item that is not finished.')

export const completedItem = z
  .object({
    seq: z.int().describe('Seq of its `item.completed`; `conversation/read` pages by it.'),
    at: z.number().describe('ms since the epoch.'),
    turnId: turnId.nullable(),
    item,
  })
  .describe('A finished item. It never changes again.')

export const turn = z
  .object({
    id: turnId,
    startedAt: z.number().describe('ms since the epoch.'),
    phase: z
      .enum(['start', 'model', 'calls'])
      .describe('`model`: a response is awaited. `calls`: the response is complete, its calls run.'),
    modelCalls: z.int().describe('Model requests so far, retries included.'),
    calls: z.int().describe('Calls of the newest response.'),
    parked: z.boolean().describe('The turn waits for a person; nothing runs until someone answers or continues it.'),
    limit: limitName
      .exactOptional()
      .describe('Limit that the parked turn waits at; `conversation/continue` allows as much again.'),
    missingKey: missingKey.exactOptional(),
    retry: z
      .object({
        retryAt: z.number().describe('ms since the epoch.'),
        attempt: z.int(),
        attempts: z.int().exactOptional().describe('Number of the last attempt, if all fail in this way.'),
        failure,
        asked: z.literal(true).exactOptional().describe('The provider named this wait.'),
        network: z.literal(true).exactOptional().describe('No connection came about; time limits the attempts.'),
      })
      .nullable()
      .describe('Retry of a failed model call, and the time of it.'),
    usage: tokenCounts,
    fallback: modelChoice
      .exactOptional()
      .describe('Model of `fallback_models` that took over; the next turn begins with the model of the settings.'),
    stopReason: stopReason
      .exactOptional()
      .describe('Reason why the newest response was cut; left out for a whole one.'),
    stopWords: z.string().exactOptional().describe("The provider's own words on that."),
    paused: z
      .int()
      .exactOptional()
      .describe('Number of consecutive responses that the provider paused; absent without any.'),
    goesOn: z
      .literal(true)
      .exactOptional()
      .describe('A hook lets the turn go on in place of its end; until the next model request.'),
    stoppedBy: z
      .string()
      .exactOptional()
      .describe('Sentence of a hook that ends the turn. No further work starts in the turn.'),
    heldOpen: z.int().exactOptional().describe('Number of times that hooks let the turn go on.'),
    hook: z
      .object({
        ...hookRef.shape,
        itemId: itemId.exactOptional().describe('Call that it runs for.'),
        startedAt: z.number().describe('ms since the epoch.'),
      })
      .exactOptional()
      .describe('Hook that the turn waits for, once it has run for a second.'),
    denials: z.array(denial).describe('Calls that were not run because the user or a rule denied them.'),
    ...turnOptions,
    enforcement: reviewEnforcement,
    responses: z.int().exactOptional().describe('Responses so far; counted in a turn with a budget.'),
    trigger: z.literal('compaction').exactOptional().describe('The turn has no message: it only compacts.'),
    skills: z
      .array(z.object({ name: z.string(), allowedTools: z.array(z.string()) }))
      .exactOptional()
      .describe('Skills of this turn that name tools: effects of other tools are asked about. Absent without any.'),
    checked: z
      .object({
        times: z.int().describe('Number of times that the checks were begun.'),
        failed: z
          .array(
            z.object({ itemId, title: z.string(), status: itemStatus, exitCode: z.int().nullable().exactOptional() }),
          )
          .exactOptional()
          .describe('Failed checks; left out once the model was asked again, so that all checks have to run.'),
      })
      .exactOptional()
      .describe('How the `checks` stand; left out before the first of them.'),
    toMake: z
      .array(messageCall)
      .exactOptional()
      .describe('Calls of its messages that are made before the model is asked; absent without any.'),
  })
  .describe('Work on one message: model calls and tool calls, until the model makes no more calls.')

export const pastTurn = z
  .object({
    turnId,
    startSeq: z.int().describe('Seq of its `turn.started`.'),
    startedAt: z.number().describe('ms since the epoch.'),
    endSeq: z.int().nullable().describe('Seq of its `turn.ended`; null while it is open.'),
    endedAt: z.number().nullable().describe('ms since the epoch; null while it is open.'),
    outcome: turnOutcome.nullable().describe('Null while it is open.'),
    failure: failure.exactOptional(),
    stopReason: stopReason.exactOptional(),
    usage: tokenCounts.exactOptional().describe('Left out while it is open.'),
    message: completedItem.nullable().describe('Its first message of a user; null for a turn without one.'),
    answer: completedItem
      .nullable()
      .describe('The answer: the last message of the model in it, with all texts of its response.'),
  })
  .describe('A turn as it is looked up in the log. `conversation/read` from `startSeq` to `endSeq` has its items.')

export const requestResult = z
  .object({
    key: z.union([messageId, requestKey]).describe('A `messageId` or a `requestKey`.'),
    seq: z.int(),
    turnId: turnId.nullable(),
    disposition: z.enum(['started', 'queued', 'steering', 'continued']),
    itemId: itemId.exactOptional().describe('The command or compaction that a `requestKey` started.'),
  })
  .describe('Result of a message or of another request with a key, for a client that sends it again.')

export const compactions = z
  .object({
    applied: z
      .array(
        z.object({
          seq: z.int().describe('Seq of the `context.compacted` or `context.cleared`.'),
          kind: z.enum(['compacted', 'cleared']),
          tokensBefore: z.int(),
          tokensAfter: z.int(),
        }),
      )
      .describe('Compactions in force, oldest first; at most the newest 20.'),
    held: z
      .boolean()
      .describe('A compaction was undone or has failed: no automatic compaction until a turn has ended.'),
    tried: z
      .boolean()
      .describe('A compaction has ended since the newest response, so the next one does not begin by itself.'),
    repeated: z.boolean().describe('A request that was too long is repeated after a compaction; it is not twice.'),
  })
  .describe("Compactions of the model's view.")

export const forkedFrom = z
  .object({ id: conversationId, seq: z.int() })
  .nullable()
  .describe('The conversation that contributed the events up to `seq`.')

export const core = z
  .object({
    seq: z.int().describe('Seq of the last event applied; 0 before the first.'),
    meta: z.object({
      conversationId,
      cwd: z.string(),
      createdAt: z.number().describe('ms since the epoch.'),
      updatedAt: z.number().describe('ms since the epoch.'),
      title: z.string().describe('First line of the first message, at most 80 characters; empty before it.'),
      name: z.string().nullable().describe('Given by the user.'),
      archived: z.boolean(),
      forkedFrom,
      access: access.exactOptional().describe('Left out where no server with users had it.'),
    }),
    settings,
    context: z
      .object({
        instructions: sideFile,
        tools: sideFile,
        sessionContext: sideFile,
        adapter: z.string(),
        instructionFiles: z.array(z.string()),
        skills: listedSkills.exactOptional(),
      })
      .nullable()
      .describe('The newest `context.set`.'),
    turn: turn.nullable().describe('The turn that is running or parked.'),
    lastTurn: z
      .object({
        id: turnId,
        outcome: turnOutcome,
        failure: failure.nullable(),
        purpose: turnPurpose.exactOptional(),
        stopReason: stopReason.exactOptional(),
        usage: tokenCounts,
        answerProblem,
        endedAt: z.number().describe('ms since the epoch.'),
      })
      .nullable()
      .describe('The turn that ended last.'),
    open: z.record(itemId, openItem).describe('Open items by id, in the order they were started.'),
    approvals: z.record(approvalId, approval).describe('Approvals by id: pending, or approved and not started.'),
    hooks: z
      .array(z.object(hooksStarted))
      .exactOptional()
      .describe('Moments with running hooks, each with its unfinished hooks in their order; absent without any.'),
    begun: z.literal(true).exactOptional().describe('Hooks of its start have run, or the model was asked.'),
    inbox: z.array(queuedMessage).describe('Oldest first.'),
    inboxPaused: z
      .boolean()
      .describe('True after an interrupt or a restart: waiting messages are not sent until the inbox is continued.'),
    plan: plan.nullable(),
    background: z
      .record(itemId, z.object({ title: z.string(), startedAt: z.number().describe('ms since the epoch.') }))
      .exactOptional()
      .describe('Commands that run in the background, by item, in the order of their answers; absent without any.'),
    forwards: z.array(forward).exactOptional().describe('Forwarded ports; absent without any.'),
    waits: z.array(outputWait).exactOptional().describe('Lines that users wait for; absent without any.'),
    compactions: compactions.exactOptional().describe('Left out before the first one.'),
    usage: z.object({
      total: tokenCounts.describe('Tokens of the whole conversation.'),
      last: tokenCounts
        .nullable()
        .describe('Tokens of the newest model call; after a compaction the estimate of the next, as input.'),
      contextWindow: z.int().nullable().describe('Context window of the model in tokens, where known.'),
      calls: z.int().exactOptional().describe('Responses of the model; left out before the first.'),
    }),
    limitsFrom: z
      .object({
        modelCalls: z.int().exactOptional(),
        tokens: z.int().exactOptional(),
        costUsd: z.number().exactOptional(),
        unpriced: z.literal(true).exactOptional().describe('Calls without a known price were allowed.'),
      })
      .exactOptional()
      .describe('Sums of the conversation from which its limits count, where someone went on beyond one.'),
    counts: z.object({
      turns: z.int().describe('Turns started.'),
      items: z.int().describe('Items completed.'),
    }),
    digest: z.string().describe('Digest chained over completed items, to compare states; clients need not compute it.'),
    requestKeys: z.array(requestResult).describe('First results by `messageId` and `requestKey`, newest 1,000.'),
  })
  .describe('State of a conversation without its finished items.')

export const conversationState = z
  .object({
    core,
    window: z
      .array(completedItem)
      .describe('The newest completed items, at most 200, oldest first; older ones by `conversation/read`.'),
  })
  .describe('State of a conversation: the result of applying its events.')

export type HooksStarted = NonNullable<z.infer<typeof core>['hooks']>[number]
export type HooksSaid = z.infer<typeof hooksSaid>
export type OpenItem = z.infer<typeof openItem>
export type CompletedItem = z.infer<typeof completedItem>
export type PastTurn = z.infer<typeof pastTurn>
export type Turn = z.infer<typeof turn>
export type Compactions = z.infer<typeof compactions>
export type RequestResult = z.infer<typeof requestResult>
export type ConversationCore = z.infer<typeof core>
export type ConversationState = z.infer<typeof conversationState>
