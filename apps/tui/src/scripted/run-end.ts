import { ClientError } from '@parley/client'
import type { ConversationId, EventOf, Failure, TokenCounts, TurnOutcome } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type ExitCode, exitCodeOf, exitCodes, ParleyError, weightiest } from '../cli/exit-codes.ts'
import { explainRejection } from '../cli/messages.ts'

/** End of a run: the terminal event in JSON, the last lines in plain mode. */
export interface RunEnd {
  readonly exitCode: ExitCode
  readonly conversationId: ConversationId | null
  readonly outcome: TurnOutcome | null
  /** Final message of a completed turn. */
  readonly answer: string | null
  readonly failure: Failure | null
  readonly denials: readonly EventOf<'turn.ended'>['denials'][number][]
  readonly usage: TokenCounts | null
}

export interface EndedTurn {
  readonly event: EventOf<'turn.ended'>
  /** Last message of the turn. */
  readonly message: string | null
}

const nothing = { outcome: null, answer: null, failure: null, denials: [], usage: null } as const

/** Returns the end of a run without a turn. */
export function failedRun(failure: Failure, conversationId: ConversationId | null = null): RunEnd {
  return { exitCode: exitCodeOf(failure.code), conversationId, ...nothing, failure }
}

/** Returns the end of a run that was stopped while no turn was open. */
export function stoppedRun({ exitCode, failure }: StoppedError, conversationId: ConversationId | null): RunEnd {
  return { exitCode, conversationId, ...nothing, failure }
}

export function turnEnd({ event, message }: EndedTurn, conversationId: ConversationId): RunEnd {
  const { outcome, failure = unfit(event), denials, usage } = event
  const hasAnswer = outcome === 'completed' && message !== null && message.trim() !== ''
  const answer = hasAnswer && event.answerProblem === undefined ? message : null
  const exitCode = answer === null ? weightiest(faultsOf(event)) : exitCodes.ok
  return { exitCode, conversationId, outcome, answer, failure, denials, usage }
}

/** Returns the end of a run whose turn was interrupted; an answer that came before the time limit counts. */
export function stoppedTurn(turn: EndedTurn, reason: StoppedError, conversationId: ConversationId): RunEnd {
  const end = turnEnd(turn, conversationId)
  if (end.answer !== null && reason.exitCode === exitCodes.budget) return end
  const codes = [reason.exitCode, ...faultsOf(turn.event)]
  const exitCode = reason.exitCode === exitCodes.ok ? reason.exitCode : weightiest(codes)
  return { ...end, exitCode, failure: reason.failure ?? end.failure }
}

function unfit({ answerProblem }: EndedTurn['event']): Failure | null {
  if (answerProblem === undefined) return null
  return { code: 'answerUnfit', message: `The answer does not satisfy the output schema: ${answerProblem}.` }
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
  if (error instanceof RpcError) return { code: error.data?.code ?? 'internal', message: explainRejection(error) }
  if (error instanceof ParleyError) return { code: error.code, message: error.message }
  if (!(error instanceof ClientError)) throw error
  const { code } = error.data
  return { code: code === 'connectionClosed' ? 'serverFailed' : code, message: error.message }
}

/** Reason to end a run before its turn: the exit code and the failure to report. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
  readonly exitCode: ExitCode
  readonly failure: Failure | null

  constructor(exitCode: ExitCode, failure: Failure | null = null) {
    super(failure?.message ?? 'The run was stopped.')
    this.exitCode = exitCode
    this.failure = failure
  }
}

/** Stops a run; the first reason counts. */
export interface Stopper {
  readonly signal: AbortSignal
  stop(reason: StoppedError): void
}

export function createStopper(): Stopper {
  const controller = new AbortController()
  return { signal: controller.signal, stop: (reason) => controller.abort(reason) }
}

/** Resolves with the work. Rejects with the signal's reason on abort; the work continues unobserved. */
export function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Stops the run when the time is up. */
export function limitTime(stopper: Stopper, limitMs: number | undefined): void {
  if (limitMs === undefined) return
  const message = `The time limit of ${limitMs / 1000} s ran out.`
  const expire = () => stopper.stop(new StoppedError(exitCodes.budget, { code: 'timeout', message }))
  setTimeout(expire, limitMs).unref()
}

/** Stops the run on SIGINT, SIGTERM and SIGHUP; a second signal exits at once. */
export function watchSignals(stopper: Stopper): Disposable {
  let seen = false
  const on = (code: ExitCode) => () => {
    if (seen) process.exit(code)
    seen = true
    stopper.stop(new StoppedError(code))
  }
  const handlers = [
    { signal: 'SIGINT', handler: on(exitCodes.sigint) },
    { signal: 'SIGTERM', handler: on(exitCodes.sigterm) },
    { signal: 'SIGHUP', handler: on(exitCodes.sigterm) },
  ] as const
  for (const { signal, handler } of handlers) process.on(signal, handler)
  return {
    [Symbol.dispose]() {
      for (const { signal, handler } of handlers) process.off(signal, handler)
    },
  }
}
