import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'
import { Stopped, type Stopper } from './stop.ts'

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
