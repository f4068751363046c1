import type { Conversation } from '@parley/client'
import type { ConversationId, EventOf, Failure } from '@parley/protocol'
import { type ExitCode, exitCodeOf, exitCodes, ParleyError, weightiest } from '../../cli/exit-codes.ts'
import { expectedFailure } from '../../cli/messages.ts'
import { type RunEnd, withoutTurn } from '../../cli/run-ended.ts'
import type { StoppedError } from './stopper.ts'

export interface EndedTurn {
  readonly event: EventOf<'turn.ended'>
  /** Last message of the turn. */
  readonly message: string | null
}

/** Returns the end of a run that was stopped while no turn was open. */
export function stoppedRun({ exitCode, failure }: StoppedError, conversationId: ConversationId | null): RunEnd {
  return { exitCode, conversationId, ...withoutTurn, failure }
}

/** Returns the id of a conversation that has a log; null before its first event. */
export function keptId({ id, state }: Pick<Conversation, 'id' | 'state'>): ConversationId | null {
  return state.core.seq === 0 ? null : id
}

export function turnEnd({ event, message }: EndedTurn, conversationId: ConversationId): RunEnd {
  const { turnId, outcome, denials, usage } = event
  const hasAnswer = outcome === 'completed' && message !== null && message.trim() !== ''
  const answer = hasAnswer && event.answerProblem === undefined ? message : null
  const exitCode = answer === null ? weightiest(faultsOf(event)) : exitCodes.ok
  const failure = answer === null ? failureIn(event) : null
  const stopReason = event.stopReason ?? null
  return { exitCode, conversationId, turnId, outcome, stopReason, answer, failure, denials, usage }
}

/** Returns the end of a run with an interrupted turn; an answer that came before the time limit counts. */
export function stoppedTurn(turn: EndedTurn, reason: StoppedError, conversationId: ConversationId): RunEnd {
  const end = turnEnd(turn, conversationId)
  if (end.answer !== null && reason.exitCode === exitCodes.budget) return end
  const codes = [reason.exitCode, ...faultsOf(turn.event)]
  const exitCode = reason.exitCode === exitCodes.ok ? reason.exitCode : weightiest(codes)
  const stopReason = reason.exitCode === exitCodes.budget ? 'budget' : end.stopReason
  return { ...end, stopReason, exitCode, failure: exitCode === exitCodes.ok ? null : (reason.failure ?? end.failure) }
}

/** Returns the reason why a turn has no answer. */
function failureIn({ outcome, failure, answerProblem, denials }: EndedTurn['event']): Failure {
  if (failure !== undefined) return failure
  if (answerProblem !== undefined)
    return { code: 'answerUnfit', message: `The answer does not satisfy the output schema: ${answerProblem}.` }
  const what = outcome === 'interrupted' ? 'The turn was interrupted' : 'The turn ended without an answer'
  if (denials.length === 0) return { code: outcome === 'interrupted' ? 'interrupted' : 'noAnswer', message: `${what}.` }
  return { code: 'approvalUnanswered', message: `${what} after ${denialWords(denials.length)}.` }
}

export function denialWords(count: number): string {
  return `${count === 1 ? '1 request was' : `${count} requests were`} not allowed`
}

function faultsOf({ failure, denials, answerProblem }: EndedTurn['event']): ExitCode[] {
  return [
    ...(answerProblem === undefined ? [] : [exitCodes.answerUnfit]),
    ...(failure === undefined ? [] : [exitCodeOf(failure.code)]),
    ...(denials.length === 0 ? [] : [exitCodes.approvalUnanswered]),
    exitCodes.turnFailed,
  ]
}

/** Returns the failure that an expected error stands for. Throws any other error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ParleyError) return { code: error.code, message: error.message }
  const failure = expectedFailure(error)
  if (failure === null) throw error
  return failure
}
