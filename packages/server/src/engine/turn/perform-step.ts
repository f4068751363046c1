import type { ConversationEvent, Failure, QueuedMessage } from '@parley/protocol'
import type { Step } from '../../core/next-step.ts'
import { runCall } from '../calls/run-call.ts'
import { consumedMessage, startInboxTurn } from '../messages/inbox.ts'
import { keepLongWaiting, longWaiting } from '../messages/long-texts.ts'
import { findAnswerProblem } from '../messages/output-schema.ts'
import { runModel } from './call-model.ts'
import { completeTurn } from './end-turn.ts'
import type { Run } from './turn-context.ts'

type ActiveStep = Exclude<Step, { kind: 'await' }>

/** Resolves to the failure that ends the turn, or null. */
export async function performStep(run: Run, step: ActiveStep): Promise<Failure | null> {
  const { conversation, bench } = run
  const long = longWaiting(messagesOf(step))
  if (long !== null) {
    await keepLongWaiting(run, long)
    return null
  }
  switch (step.kind) {
    case 'startTurn':
      conversation.recordAll(startInboxTurn(bench.ids, step.message))
      return null
    case 'callModel':
      consume(run, step.steering)
      return await runModel(run)
    case 'runCalls':
      await runTogether(run, step.itemIds)
      return null
    case 'endTurn':
      completeTurn(conversation, bench.ids, await findAnswerProblem(conversation.state))
      return null
  }
}

/** Waiting messages that the step makes part of the turn. */
function messagesOf(step: ActiveStep): readonly QueuedMessage[] {
  if (step.kind === 'startTurn') return [step.message]
  return step.kind === 'callModel' ? step.steering : []
}

function consume({ conversation, bench }: Run, messages: readonly QueuedMessage[]): void {
  const turnId = conversation.state.core.turn?.id
  if (messages.length === 0 || turnId === undefined) return
  conversation.recordAll(
    messages.flatMap((message): ConversationEvent[] => consumedMessage(bench.ids, turnId, message)),
  )
}

/** Waits for all of them before it fails, so that none goes on behind the loop's back. */
async function runTogether(run: Run, itemIds: readonly string[]): Promise<void> {
  const ends = await Promise.allSettled(itemIds.map((itemId) => runCall(run, itemId)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
