import type { LaunchedServer, ProgramBuild } from './cli/launch-server.ts'
import { openWindow } from './screen/open-window.ts'

interface WindowStart {
  readonly program: ProgramBuild
  /** Starts the server; null if none is needed, or it cannot be started. */
  readonly launch: () => Promise<LaunchedServer | null>
}

/**
 * Opens the window of a command, then starts the server, and loads the command as that starts. Keys are shown in between.
 * Ends the process.
 */
export async function startInWindow(argv: readonly string[], { program, launch }: WindowStart): Promise<void> {
  const window = openWindow(process.env)
  await window.keysShown()
  const early = await launch()
  await window.keysShown()
  const { main } = await import('./main.ts')
  await main(argv, program, { window, early })
}
