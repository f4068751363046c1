import type { ConversationEvent, Failure, ItemId, QueuedMessage } from '@parley/protocol'
import { runHooksLeft } from '../calls/hooked-calls.ts'
import { beginChecks, makeCalls } from '../calls/propose-call.ts'
import { runCall } from '../calls/run-call.ts'
import { runCompaction } from '../compaction/run-compaction.ts'
import { noticeItem } from '../conversation/notices.ts'
import type { TurnStep } from '../core/next-step.ts'
import type { ReachedLimit } from '../core/turn-ends/conversation-limits.ts'
import { repeatedFailure } from '../core/view/repeated-calls.ts'
import { keepLongWaiting, longWaiting } from '../messages/attachments.ts'
import { findAnswerProblem } from '../messages/output-schema.ts'
import { consumedMessage, startInboxTurn } from '../messages/user-messages.ts'
import type { CallContext, RecordRole, TurnContext } from '../roles/roles.ts'
import { callModel } from './call-model.ts'
import { completeTurn } from './end-turn.ts'
import { runCompactHooks, runSessionStart, runStopHooks } from './turn-hooks.ts'

type ActiveStep = Exclude<TurnStep, { kind: 'await' }>

/** Performs one step. Resolves to the failure that ends the turn, or null. */
export async function performStep(context: TurnContext, step: ActiveStep): Promise<Failure | null> {
  const failure = await perform(context, step)
  return failure === null ? null : waitForKey(context, failure)
}

async function perform(context: TurnContext, step: ActiveStep): Promise<Failure | null> {
  const {
    record: { conversation, ids },
  } = context
  const long = longWaiting(messagesOf(step))
  if (long !== null) {
    await keepLongWaiting(context.record, long)
    return null
  }
  // Hooks may have changed the state that the step was chosen by.
  if ((await runHooksLeft(context)) || (await runSessionStart(context))) return null
  switch (step.kind) {
    case 'startTurn':
      conversation.recordAll(startInboxTurn(context, step.message))
      return null
    case 'callModel':
      consume(context.record, step.steering)
      return step.steering.some(({ calls }) => calls !== undefined) ? null : await callModel(context)
    case 'makeCalls':
      makeCalls(context, step.calls)
      return null
    case 'runCalls': {
      const repeated = repeatedTooOften(context.record, step.itemIds)
      if (repeated === null) await runTogether(context, step.itemIds)
      return repeated
    }
    case 'askLimit':
      return askLimit(context, step.reached)
    case 'failTurn':
      return step.failure
    case 'compact':
      return (await runCompactHooks(context, step.item)) ? null : await runCompaction(context, step.item)
    case 'beginChecks':
      beginChecks(context)
      return null
    case 'endTurn':
      if (await runStopHooks(context)) return null
      completeTurn(conversation, ids, await findAnswerProblem(conversation.state))
      return null
  }
}

/** Parks the turn until someone lets it go on. Returns the failure that ends it where nobody could. */
function askLimit(
  { record: { conversation, ids }, people }: Pick<TurnContext, 'record' | 'people'>,
  { limit, failure, goingOn }: ReachedLimit,
): Failure | null {
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined || !people.mayRaiseLimit())
    return { ...failure, message: `${failure.message} Raise it in config.toml, or go on from \`parley resume\`.` }
  const reason = `${failure.message} ${goingOn}`
  const item = noticeItem(ids.item(), { level: 'warning', code: failure.code, title: reason })
  conversation.recordAll([
    { type: 'item.completed', turnId, item },
    { type: 'turn.parked', turnId, reason, limit },
  ])
  return null
}

/** Returns the waiting messages that the step moves into the turn. */
function messagesOf(step: ActiveStep): readonly QueuedMessage[] {
  if (step.kind === 'startTurn') return [step.message]
  return step.kind === 'callModel' ? step.steering : []
}

function consume({ conversation, ids }: RecordRole, messages: readonly QueuedMessage[]): void {
  const turnId = conversation.state.core.turn?.id
  if (messages.length === 0 || turnId === undefined) return
  conversation.recordAll(messages.flatMap((message): ConversationEvent[] => consumedMessage(ids, turnId, message)))
}

/** Returns the failure that ends the turn when the model makes the same call over and over. */
function repeatedTooOften({ conversation }: RecordRole, itemIds: readonly ItemId[]): Failure | null {
  for (const itemId of itemIds) {
    const { view } = conversation
    const failure = repeatedFailure(view.calls.repeated, itemId, view.calls.of(itemId)?.name ?? 'a tool')
    if (failure !== null) return failure
  }
  return null
}

/** Runs calls together. Waits for all before it rejects, so that no call continues unobserved. */
async function runTogether(context: CallContext, itemIds: readonly ItemId[]): Promise<void> {
  const ends = await Promise.allSettled(itemIds.map((itemId) => runCall(context, itemId)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Failures of a request that was not sent for want of a key, or of the provider's settings. */
const codes: ReadonlySet<string> = new Set(['noCredentials', 'invalidRequest'])

/**
 * Parks the turn of a conversation that servers share where the key of its model is missing here. Returns null then, else
 * the failure, which ends the turn.
 */
function waitForKey(
  { record: { conversation, ids }, model, people }: Pick<TurnContext, 'record' | 'model' | 'people'>,
  failure: Failure,
): Failure | null {
  const { sharedBy } = people
  const turnId = conversation.state.core.turn?.id
  const { choice, lacksKey } = model.current()
  if (sharedBy === null || turnId === undefined || !codes.has(failure.code) || lacksKey?.() !== true) return failure
  const { modelProvider: missingKey } = choice
  const server = sharedBy()
  const title = `${server ?? 'This server'} has no key for ${missingKey}: the turn waits, and nothing is lost. It goes on by itself at a server of the team with that key, here after \`parley login ${missingKey}\` on its machine, or with another model (/model).`
  const item = noticeItem(ids.item(), { level: 'warning', code: 'missingKey', title })
  conversation.recordAll([
    { type: 'item.completed', turnId, item },
    { type: 'turn.parked', turnId, reason: `No key for ${missingKey} at ${server ?? 'this server'}.`, missingKey },
  ])
  return null
}
