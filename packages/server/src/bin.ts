import { createEngine } from './engine/engine.ts'
import { serveStdio, systemParts } from './main.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { readServerOptions } from './server-options.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// stdout is the protocol's alone: whatever a dependency prints goes to stderr.
console.log = console.error
console.info = console.error

const options = readServerOptions(process.argv.slice(2), process.env, {
  moduleUrl: import.meta.url,
  version: PARLEY_VERSION,
  build: PARLEY_BUILD,
  ripgrep: ripgrepPath(),
})
const parts = systemParts(options)
const engine = createEngine(parts)
process.on('SIGTERM', () => process.stdin.destroy())
process.on('SIGHUP', () => undefined)
await serveStdio(engine, parts)
process.exit(0)
