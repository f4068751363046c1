import type { Failure } from '@parley/protocol'
import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'

/** A run is to end before its turn does: with what code, and what to say of it. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly exitCode: ExitCode
  readonly failure: Failure | null

  constructor(exitCode: ExitCode, failure: Failure | null = null) {
    super(failure?.message ?? 'The run was stopped.')
    this.exitCode = exitCode
    this.failure = failure
  }
}

/** Everything that may stop a run; the first reason counts. */
export interface Stopper {
  readonly signal: AbortSignal
  stop(reason: Stopped): void
}

export function createStopper(): Stopper {
  const controller = new AbortController()
  return { signal: controller.signal, stop: (reason) => controller.abort(reason) }
}

/** The work, or a rejection with the reason as soon as the signal fires; the work itself goes on unobserved. */
export function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Stops when the time is up. */
export function limitTime(stopper: Stopper, limitMs: number | undefined): void {
  if (limitMs === undefined) return
  const message = `The time limit of ${limitMs / 1000} s ran out.`
  const expire = () => stopper.stop(new Stopped(exitCodes.budget, { code: 'timeout', message }))
  setTimeout(expire, limitMs).unref()
}

/** SIGINT, SIGTERM and a closed terminal stop the run; a second one leaves at once. */
export function watchSignals(stopper: Stopper): Disposable {
  let seen = false
  const on = (code: ExitCode) => () => {
    if (seen) process.exit(code)
    seen = true
    stopper.stop(new Stopped(code))
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
