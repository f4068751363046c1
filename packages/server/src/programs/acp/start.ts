import { closeInheritedDescriptors } from '@parley/host'
import { readAcpArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { readServerOptions, ripgrepPath, systemParts } from '../system-parts.ts'
import { runAcp } from './run-acp.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// First of all, since Node marks every descriptor that it opens itself: what is inheritable now came from outside.
closeInheritedDescriptors()

await runProgram('acp', async (argv) => {
  const args = readAcpArguments(argv)
  const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
  const options = readServerOptions({ paced: true, recordTo: null, hidden: [] }, process.env, built)
  return runAcp(systemParts(options), args)
})
