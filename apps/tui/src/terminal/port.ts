import { writeSync } from 'node:fs'

export type TerminationSignal = 'SIGHUP' | 'SIGQUIT' | 'SIGTERM'

type Stop = () => void

/** What holding a terminal needs of the process. Each `on…` gives back how to stop listening. */
export interface TerminalPort {
  /** Writes before it returns: at exit nothing asynchronous runs any more. */
  readonly write: (text: string) => void
  readonly onExit: (listener: () => void) => Stop
  readonly onUncaughtError: (listener: () => void) => Stop
  readonly onSignal: (signal: TerminationSignal, listener: () => void) => Stop
  readonly exit: (code: number) => void
}

/** A full terminal buffer (EAGAIN on a non-blocking tty) is tried again this often; after that, or if the tty is gone, nothing helps. */
const maxTries = 1_000

export function processTerminal(fd: number): TerminalPort {
  return {
    write: (text) => writeAll(fd, Buffer.from(text)),
    onExit: (listener) => {
      process.on('exit', listener)
      return () => process.off('exit', listener)
    },
    // The monitor event leaves Node's own report and exit code as they are.
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

/** What a terminal is answered for that was closed: there is no mode to set any more, and nothing to restore. */
const isGone: ReadonlySet<string> = new Set(['EIO', 'EBADF', 'ENOTTY', 'ENXIO'])

/** Raw mode on or off. Does nothing when the terminal has gone; that it has is told by the end of its input. */
export function setRawMode(stdin: Pick<NodeJS.ReadStream, 'setRawMode'>, isRaw: boolean): void {
  try {
    stdin.setRawMode(isRaw)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isGone.has(String(error.code)))) throw error
  }
}
