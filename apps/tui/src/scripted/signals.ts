import { type ExitCode, exitCodes } from '../cli/exit-codes.ts'

/** SIGINT and SIGTERM as one promise; a second one leaves at once. */
export function watchSignals(): Disposable & { readonly stop: Promise<ExitCode> } {
  let seen = false
  let settle: (code: ExitCode) => void = () => undefined
  const stop = new Promise<ExitCode>((resolve) => {
    settle = resolve
  })
  const on = (code: ExitCode) => () => {
    if (seen) process.exit(code)
    seen = true
    settle(code)
  }
  const handlers = [
    { signal: 'SIGINT', handler: on(exitCodes.sigint) },
    { signal: 'SIGTERM', handler: on(exitCodes.sigterm) },
    { signal: 'SIGHUP', handler: on(exitCodes.sigterm) },
  ] as const
  for (const { signal, handler } of handlers) process.on(signal, handler)
  return {
    stop,
    [Symbol.dispose]() {
      for (const { signal, handler } of handlers) process.off(signal, handler)
    },
  }
}
