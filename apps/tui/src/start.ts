import { opensWindow } from './cli/early-arguments.ts'
import { mayBePlain } from './cli/plain-mode.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const argv = process.argv.slice(2)

/** Ends with the process. */
export const running = start()

/** Opens the window, where the command has one, before the rest of the program is loaded. */
async function start(): Promise<void> {
  const isWindow = opensWindow(argv, process) && !mayBePlain(argv, process.env)
  const window = isWindow ? (await import('./screen/open-window.ts')).openWindow(process.env) : null
  await window?.keysShown()
  const { main } = await import('./main.ts')
  await main(argv, { version: PARLEY_VERSION, build: PARLEY_BUILD, moduleUrl: import.meta.url }, window)
}
