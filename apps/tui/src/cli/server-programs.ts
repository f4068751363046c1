/** Programs that are built beside this one and speak on their stdin and stdout: `parley NAME …`. */
export const serverPrograms = ['server', 'mcp-server', 'exec-server'] as const

/** Returns the server program that a command line names; null if it asks for help. */
export function serverProgramOf(argv: readonly string[]): (typeof serverPrograms)[number] | null {
  if (argv.some((word) => word === '--help' || word === '-h')) return null
  return serverPrograms.find((name) => name === argv[0]) ?? null
}

/**
 * Flags of Node for a server, which runs without them too. The young generation stays small: it would grow to 48 MB, for 2 %
 * of the CPU of a flood. Most other flags would cost 10 ms at start, because Node's snapshot is built without flags.
 */
export const serverNodeFlags = ['--max-semi-space-size=1'] as const
