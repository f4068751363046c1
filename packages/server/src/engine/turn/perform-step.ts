import type { ConversationEvent, Failure, ItemId, QueuedMessage } from '@parley/protocol'
import type { Step } from '../../core/next-step.ts'
import { runCall } from '../calls/run-call.ts'
import { consumedMessage, startInboxTurn } from '../messages/inbox.ts'
import { keepLongWaiting, longWaiting } from '../messages/long-texts.ts'
import { findAnswerProblem } from '../messages/output-schema.ts'
import { callModel } from './call-model.ts'
import { completeTurn } from './end-turn.ts'
import type { TurnContext } from './turn-context.ts'

type ActiveStep = Exclude<Step, { kind: 'await' }>

/** Performs one step. Resolves to the failure that ends the turn, or null. */
export async function performStep(run: TurnContext, step: ActiveStep): Promise<Failure | null> {
  const { conversation, modules } = run
  const long = longWaiting(messagesOf(step))
  if (long !== null) {
    await keepLongWaiting(run, long)
    return null
  }
  switch (step.kind) {
    case 'startTurn':
      conversation.recordAll(startInboxTurn(modules.ids, step.message))
      return null
    case 'callModel':
      consume(run, step.steering)
      return await callModel(run)
    case 'runCalls':
      await runTogether(run, step.itemIds)
      return null
    case 'endTurn':
      completeTurn(conversation, modules.ids, await findAnswerProblem(conversation.state))
      return null
  }
}

/** Returns the waiting messages that the step moves into the turn. */
function messagesOf(step: ActiveStep): readonly QueuedMessage[] {
  if (step.kind === 'startTurn') return [step.message]
  return step.kind === 'callModel' ? step.steering : []
}

function consume({ conversation, modules }: TurnContext, messages: readonly QueuedMessage[]): void {
  const turnId = conversation.state.core.turn?.id
  if (messages.length === 0 || turnId === undefined) return
  conversation.recordAll(
    messages.flatMap((message): ConversationEvent[] => consumedMessage(modules.ids, turnId, message)),
  )
}

/** Runs calls together. Waits for all before it rejects, so that none continues unobserved. */
async function runTogether(run: TurnContext, itemIds: readonly ItemId[]): Promise<void> {
  const ends = await Promise.allSettled(itemIds.map((itemId) => runCall(run, itemId)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
