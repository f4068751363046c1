import { exitCodes } from '../cli/exit-codes.ts'

/** Returns true if stdin and stdout are terminals. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Writes that a terminal is needed. Returns the exit code. */
export function sayNoTerminal(): number {
  process.stderr.write('parley needs a terminal. In a script use: parley exec "…"\n')
  return exitCodes.usage
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns true if the terminal wraps long rows again when it gets narrower, as nearly all do. xterm, the Linux console and
 * GNU screen cut them off. Decided from variables: a query's answer comes after the rows have moved.
 */
export function reflowsRows(env: Environment): boolean {
  if (env['TMUX'] !== undefined) return true
  return env['XTERM_VERSION'] === undefined && env['STY'] === undefined && env['TERM'] !== 'linux'
}

/**
 * Reads the terminal's size now; the stream emits `resize` before this returns if it changed. SIGWINCH may arrive some
 * milliseconds late, and rows written meanwhile would break. Uses Node's private handler of that signal, where it exists.
 */
export function measure(stdout: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stdout, '_refreshSize')
  if (typeof refresh === 'function') refresh.call(stdout)
}
