import { closeInheritedDescriptors } from '@parley/host'
import { readMcpArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { readServerOptions, ripgrepPath, systemParts } from '../system-parts.ts'
import { runMcpServer } from './run-mcp-server.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// First of all, since Node marks every descriptor that it opens itself: what is inheritable now came from outside.
closeInheritedDescriptors()

await runProgram('mcp-server', async (argv) => {
  const args = readMcpArguments(argv)
  const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
  const options = readServerOptions(
    { paced: true, recordTo: null, hidden: args.tokenFile === null ? [] : [args.tokenFile] },
    process.env,
    built,
  )
  return runMcpServer(systemParts(options), args)
})
