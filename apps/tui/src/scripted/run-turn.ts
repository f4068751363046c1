import type { RunEnd } from '../cli/run-ended.ts'
import { withoutAnswers } from './answers/answer-approvals.ts'
import { fromFile } from './answers/answers-file.ts'
import { followTurns, type TurnParts, type Turns } from './follow-turns.ts'
import type { Message } from './message.ts'
import { keptId, stoppedRun, turnEnd } from './run-end.ts'
import { StoppedError } from './stopper.ts'

interface TurnRun extends TurnParts {
  readonly message: Message
}

/** Sends the prompt and follows the turn to its end. Reports every event, and denies approvals that no rule answered. */
export async function runTurn({ message, ...parts }: TurnRun): Promise<RunEnd> {
  const { conversation } = parts
  return untilStopped(parts, async (turns) => {
    conversation.onApproval(fromFile(parts.given, conversation, withoutAnswers(conversation)), {
      onError: () => undefined,
    })
    return turnEnd(await turns.ask(message), conversation.id)
  })
}

/** Works on turns to the end of the run, or stops the turn that runs when the run is stopped. */
export async function untilStopped(parts: TurnParts, work: (turns: Turns) => Promise<RunEnd>): Promise<RunEnd> {
  let turns: Turns | null = null
  try {
    turns = await followTurns(parts)
    const end = await work(turns)
    await turns.reported()
    return end
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
    const { conversation } = parts
    if (turns === null) return stoppedRun(error, keptId(conversation))
    const end = await turns.stop(error)
    await turns.reported()
    return end
  }
}
