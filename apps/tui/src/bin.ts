import { serverProgramOf } from './cli/early-arguments.ts'

declare const PARLEY_VERSION: string

const argv = process.argv.slice(2)
const server = serverProgramOf(argv)
if (argv[0] === '--version' || argv[0] === '-V') {
  process.stdout.write(`${PARLEY_VERSION}\n`)
} else if (server !== null) {
  // The server runs in this process: its parent talks to it without a process between.
  await import(new URL(`./${server}.mjs`, import.meta.url).href)
} else {
  await import('./start.ts')
}
