/** Programs that are built beside this one and speak on their stdin and stdout: `parley NAME …`. */
export const serverPrograms = ['server', 'mcp-server', 'exec-server'] as const

/** Which of them a command line asks for; its arguments are for that program to read. Null when help is wanted. */
export function serverProgramOf(argv: readonly string[]): (typeof serverPrograms)[number] | null {
  if (argv.some((word) => word === '--help' || word === '-h')) return null
  return serverPrograms.find((name) => name === argv[0]) ?? null
}

/**
 * How Node runs a server; it runs without them too. The young generation stays small: it would grow to 48 MB, for a
 * fiftieth of the CPU of a flood. Most other flags would cost a start 10 ms: Node's own modules come compiled for none.
 */
export const serverNodeFlags = ['--max-semi-space-size=1'] as const
