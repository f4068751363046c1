import { exitCodes } from '../cli/exit-codes.ts'

export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Resolves what the program ends with. */
export function sayNoTerminal(): number {
  process.stderr.write('parley needs a terminal. In a script use: parley exec "…"\n')
  return exitCodes.usage
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Whether the terminal breaks long rows anew when it gets narrower, as nearly all do. xterm, the Linux console and GNU
 * screen cut them off instead. A terminal that is asked answers too late: the rows have moved by then.
 */
export function reflowsRows(env: Environment): boolean {
  if (env['TMUX'] !== undefined) return true
  return env['XTERM_VERSION'] === undefined && env['STY'] === undefined && env['TERM'] !== 'linux'
}

/**
 * Asks the terminal for its size now; where it has changed, the stream says `resize` before this returns. The signal
 * that tells of it may take some milliseconds, and what is written meanwhile would be broken. Node has this as its
 * answer to that signal, under a name of its own; without it the signal has to do.
 */
export function measure(stdout: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stdout, '_refreshSize')
  if (typeof refresh === 'function') refresh.call(stdout)
}
