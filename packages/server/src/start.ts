import './uncompiled-schemas.ts'
import { argumentsAfter } from './arguments-after.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { readServerOptions } from './server-options.ts'
import { serveProcess } from './server-process.ts'
import { systemParts } from './system-parts.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const options = readServerOptions(argumentsAfter('server'), process.env, {
  moduleUrl: import.meta.url,
  version: PARLEY_VERSION,
  build: PARLEY_BUILD,
  ripgrep: ripgrepPath(),
})
process.exit(await serveProcess(systemParts(options)))
