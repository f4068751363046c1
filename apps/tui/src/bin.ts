import { takeAllocatorSettings } from '@parley/client/server-process'
import { opensWindow, serverProgramOf, withCommandFromFlags } from './cli/early-arguments.ts'
import { mayBePlain } from './cli/plain-mode.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const serverEnv = takeAllocatorSettings(process.env)
const words = process.argv.slice(2)
const server = serverProgramOf(words)
const argv = server === null ? withCommandFromFlags(words) : words
if (argv[0] === '--version' || argv[0] === '-V') {
  process.stdout.write(`${PARLEY_VERSION}\n`)
} else if (server !== null) {
  // The server runs in this process: its parent talks to it without a process between.
  await import(new URL(`./${server}.mjs`, import.meta.url).href)
} else {
  const program = { version: PARLEY_VERSION, build: PARLEY_BUILD, moduleUrl: import.meta.url, serverEnv }
  // A server starts while the rest of this program is read; a window comes first.
  const launch = async () => (await import('./cli/launch-server.ts')).tryLaunch(argv, program)
  if (opensWindow(argv, process) && !mayBePlain(argv, process.env)) {
    const { startInWindow } = await import('./start-in-window.ts')
    await startInWindow(argv, { program, launch })
  } else {
    const early = await launch()
    const { main } = await import('./main.ts')
    await main(argv, program, { window: null, early })
  }
}
