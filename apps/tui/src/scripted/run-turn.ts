import type { RunEnd } from '../cli/run-ended.ts'
import { withoutAnswers } from './answers/answer-approvals.ts'
import { fromFile } from './answers/answers-file.ts'
import { keptId, stoppedRun, turnEnd } from './end/run-end.ts'
import { StoppedError } from './end/stopper.ts'
import { type ConversationRun, followTurns, type Turns } from './follow-turns.ts'
import type { TurnMessage } from './input/message.ts'

/** Sends the prompt and follows the turn to its end. Reports every event, and denies approvals that no rule answered. */
export async function runTurn(run: ConversationRun, message: TurnMessage): Promise<RunEnd> {
  const { conversation, given } = run
  return untilStopped(run, async (turns) => {
    conversation.onApproval(fromFile(given, conversation, withoutAnswers(conversation)), {
      onError: () => undefined,
    })
    return turnEnd(await turns.ask(message), conversation.id)
  })
}

/** Works on turns to the end of the run, or stops the turn that runs when the run is stopped. */
export async function untilStopped(run: ConversationRun, work: (turns: Turns) => Promise<RunEnd>): Promise<RunEnd> {
  let turns: Turns | null = null
  try {
    turns = await followTurns(run)
    const end = await work(turns)
    await turns.reported()
    return end
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
    if (turns === null) return stoppedRun(error, keptId(run.conversation))
    const end = await turns.stop(error)
    await turns.reported()
    return end
  }
}
