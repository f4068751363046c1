import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { opensWindow, serverProgramOf } from './cli/early-arguments.ts'
import { mayBePlain } from './cli/plain-mode.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const argv = process.argv.slice(2)
const server = serverProgramOf(argv)
if (argv[0] === '--version' || argv[0] === '-V') {
  process.stdout.write(`${PARLEY_VERSION}\n`)
} else if (server !== null) {
  // The server runs in this process: its parent talks to it without a process between.
  await import(new URL(`./${server}.mjs`, import.meta.url).href)
} else {
  // Lies beside the program, so that it is removed with it. Without write access there is no cache.
  enableCompileCache(join(import.meta.dirname, 'compile-cache'))
  const window =
    opensWindow(argv, process) && !mayBePlain(argv, process.env)
      ? (await import('./screen/open-window.ts')).openWindow(process.env)
      : null
  await window?.keysShown()
  const { main } = await import('./main.ts')
  await main(argv, { version: PARLEY_VERSION, build: PARLEY_BUILD, moduleUrl: import.meta.url }, window)
}
