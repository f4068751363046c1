import { takeAllocatorSettings } from '@parley/client/server-process'
import { closeInheritedDescriptors } from '@parley/host'
import { readServerArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { readServerOptions, ripgrepPath, systemParts } from '../system-parts.ts'
import { launchDaemon } from './launch-daemon.ts'
import { serveProcess } from './serve-process.ts'
import { watchLoop } from './watch-loop.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// First of all, since Node marks every descriptor that it opens itself: what is inheritable now came from outside.
closeInheritedDescriptors()
takeAllocatorSettings(process.env)

/** Ends with the process. */
export const running = runProgram('server', async (argv) => {
  const args = readServerArguments(argv)
  const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
  const hidden = args.listen.flatMap((address) => (address.kind === 'socket' ? [address.path] : []))
  const options = readServerOptions({ ...args, hidden }, process.env, built)
  if (args.role === 'launcher') return launchDaemon(options)
  // A daemon must not keep a folder in use. Its arguments are absolute by now.
  if (args.isDaemon) process.chdir('/')
  const parts = systemParts(options)
  watchLoop({ program: options.assets.stackReader, writeLog: parts.writeLog })
  return serveProcess(parts, args, options.assets.page)
})
