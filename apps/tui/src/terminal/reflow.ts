type Environment = Readonly<Record<string, string | undefined>>

/**
 * Whether the terminal breaks long rows anew when it gets narrower, as nearly all do. xterm, the Linux console and GNU
 * screen cut them off instead. A terminal that is asked answers too late: the rows have moved by then.
 */
export function reflowsRows(env: Environment): boolean {
  if (env['TMUX'] !== undefined) return true
  return env['XTERM_VERSION'] === undefined && env['STY'] === undefined && env['TERM'] !== 'linux'
}
