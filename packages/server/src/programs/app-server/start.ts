import { closeInheritedDescriptors } from '@parley/host'
import { readAppServerArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { readServerOptions, ripgrepPath, systemParts } from '../system-parts.ts'
import { runAppServer } from './run-app-server.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// First of all, since Node marks every descriptor that it opens itself: what is inheritable now came from outside.
closeInheritedDescriptors()

await runProgram('app-server', async (argv) => {
  const args = readAppServerArguments(argv)
  const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
  const options = readServerOptions(
    { paced: true, recordTo: null, hidden: args.tokenFile === null ? [] : [args.tokenFile] },
    process.env,
    built,
  )
  return runAppServer(systemParts(options), args)
})
