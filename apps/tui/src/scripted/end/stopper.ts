import type { Failure } from '@parley/protocol'
import { type ExitCode, exitCodes } from '../../cli/exit-codes.ts'

/** Reason to end a run before its turn: the exit code and the failure to report. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
  readonly exitCode: ExitCode
  readonly failure: Failure | null

  constructor(exitCode: ExitCode, failure: Failure | null = signalFailures[exitCode] ?? null) {
    super(failure?.message ?? 'The run was stopped.')
    this.exitCode = exitCode
    this.failure = failure
  }
}

function stoppedBy(signal: NodeJS.Signals): Failure {
  return { code: 'stopped', message: `${signal === 'SIGINT' ? 'Interrupted' : 'Stopped'} by ${signal}.` }
}

const signalFailures: Readonly<Record<number, Failure>> = {
  [exitCodes.sigint]: stoppedBy('SIGINT'),
  [exitCodes.sigterm]: stoppedBy('SIGTERM'),
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

/** Stops the run on SIGINT, SIGTERM and SIGHUP. A second signal calls `leave`, which ends the process at once. */
export function watchSignals(stopper: Stopper, leave: (reason: StoppedError) => void): Disposable {
  let seen = false
  const handlers = stopSignals.map(({ signal, exitCode }) => {
    const handler = () => {
      const reason = new StoppedError(exitCode, stoppedBy(signal))
      if (seen) leave(reason)
      seen = true
      stopper.stop(reason)
    }
    return { signal, handler }
  })
  for (const { signal, handler } of handlers) process.on(signal, handler)
  return {
    [Symbol.dispose]() {
      for (const { signal, handler } of handlers) process.off(signal, handler)
    },
  }
}

const stopSignals = [
  { signal: 'SIGINT', exitCode: exitCodes.sigint },
  { signal: 'SIGTERM', exitCode: exitCodes.sigterm },
  { signal: 'SIGHUP', exitCode: exitCodes.sigterm },
] as const
