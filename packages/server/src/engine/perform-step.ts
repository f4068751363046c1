import type { ConversationEvent, Failure } from '@parley/protocol'
import type { Step } from '../core/next-step.ts'
import { runCall } from './calls/run-call.ts'
import { completeTurn } from './end-turn.ts'
import { consumedMessage, startInboxTurn } from './inbox-events.ts'
import { findAnswerProblem } from './output-schema.ts'
import type { Run } from './run.ts'
import { runModel } from './run-model.ts'

type ActiveStep = Exclude<Step, { kind: 'await' }>

/** Resolves to the failure that ends the turn, or null. */
export async function performStep(run: Run, step: ActiveStep): Promise<Failure | null> {
  const { conversation, bench } = run
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

function consume({ conversation, bench }: Run, messages: Extract<Step, { kind: 'callModel' }>['steering']): void {
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
