import type { LaunchedServer, Program } from './cli/launch-server.ts'

interface Begun {
  /** True if the command opens a window, which then comes before the rest of the program. */
  readonly hasWindow: boolean
  /** Server that was started before this file was read; null if none was. */
  readonly early: LaunchedServer | null
}

/** Opens the window, where the command has one, before the rest of the program is loaded. Ends the process. */
export async function start(argv: readonly string[], program: Program, { hasWindow, early }: Begun): Promise<void> {
  const window = hasWindow ? (await import('./screen/open-window.ts')).openWindow(process.env) : null
  await window?.keysShown()
  const { main } = await import('./main.ts')
  await main(argv, program, { window, early })
}
