import { writeSync } from 'node:fs'

export type TerminationSignal = 'SIGHUP' | 'SIGQUIT' | 'SIGTERM'

type Stop = () => void

/** Functions of the process that holding a terminal needs. Each `on…` returns the function that removes the listener. */
export interface TerminalPort {
  /** Writes synchronously: at exit no asynchronous work runs. */
  readonly write: (text: string) => void
  readonly onExit: (listener: () => void) => Stop
  readonly onUncaughtError: (listener: () => void) => Stop
  readonly onSignal: (signal: TerminationSignal, listener: () => void) => Stop
  readonly exit: (code: number) => void
}

/** Attempts to write to a full terminal buffer (EAGAIN on a non-blocking tty). */
const maxTries = 1_000

export function processTerminal(fd: number): TerminalPort {
  return {
    write: (text) => writeAll(fd, Buffer.from(text)),
    onExit: (listener) => {
      process.on('exit', listener)
      return () => process.off('exit', listener)
    },
    // The monitor event keeps Node's own report and exit code.
    onUncaughtError: (listener) => {
      process.on('uncaughtExceptionMonitor', listener)
      return () => process.off('uncaughtExceptionMonitor', listener)
    },
    onSignal: (signal, listener) => {
      process.on(signal, listener)
      return () => process.off(signal, listener)
    },
    exit: (code) => process.exit(code),
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  let offset = 0
  for (let tries = 0; offset < bytes.length && tries < maxTries; tries++) {
    try {
      offset += writeSync(fd, bytes, offset)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
    }
  }
}

/** Error codes of a closed terminal, which has no mode to set or restore. */
const isGone: ReadonlySet<string> = new Set(['EIO', 'EBADF', 'ENOTTY', 'ENXIO'])

/** Sets raw mode. Does nothing on a closed terminal, which is noticed by the end of its input. */
export function setRawMode(stdin: Pick<NodeJS.ReadStream, 'setRawMode'>, isRaw: boolean): void {
  try {
    stdin.setRawMode(isRaw)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isGone.has(String(error.code)))) throw error
  }
}
