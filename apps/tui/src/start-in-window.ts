import type { LaunchedServer, ProgramBuild } from './cli/launch-server.ts'
import { openWindow } from './screen/open-window.ts'

interface WindowStart {
  readonly program: ProgramBuild
  /** Starts the server; null if the command needs no server, or the start fails. */
  readonly launch: () => Promise<LaunchedServer | null>
}

/** Opens the window of a command, starts the server, and loads the command during that start. Shows typed keys in between. Ends the process. */
export async function startInWindow(argv: readonly string[], { program, launch }: WindowStart): Promise<void> {
  const window = openWindow(process.env)
  await window.keysShown()
  const early = await launch()
  await window.keysShown()
  const { main } = await import('./main.ts')
  await main(argv, program, { window, early })
}
