import type { Channels } from '../channels/channels.ts'
import type { TerminalOptions } from '../channels/terminal-channels.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { assertStartable } from '../system/spawn-failure.ts'

interface TerminalStart extends TerminalOptions {
  readonly sandbox: Sandbox
}

/** Opens a terminal for a program. Rejects with `SpawnFailedError` without a terminal or without the program. */
export async function openTerminal(
  spec: Parameters<typeof assertStartable>[0],
  { sandbox, ...options }: TerminalStart,
): Promise<Channels> {
  if (sandbox.limits === null) assertStartable(spec)
  const { openTerminalChannels } = await import('../channels/terminal-channels.ts')
  return openTerminalChannels(options)
}
