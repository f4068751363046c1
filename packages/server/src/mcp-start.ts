import { closeInheritedDescriptors } from '@parley/host'
import { readMcpArguments } from './frontends/mcp/read-mcp-arguments.ts'
import { runMcpServer } from './frontends/mcp/run-mcp-server.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { runProgram } from './run-program.ts'
import { readServerOptions } from './server-options.ts'
import { systemParts } from './system-parts.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// Before anything is started: what is open and may be inherited came with us, since Node marks all that it opens.
closeInheritedDescriptors()

await runProgram('mcp-server', async (argv) => {
  const args = readMcpArguments(argv)
  const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
  const options = readServerOptions({ paced: true, recordTo: null }, process.env, built)
  return runMcpServer(systemParts(options), args)
})
