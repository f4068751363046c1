import { takeAllocatorSettings } from '@parley/client/server-process'
import { runProgram } from '@parley/serving'
import { readServerArguments, type ServerArguments } from '../arguments.ts'
import { type BuiltProgram, readServerOptions, systemParts } from '../system-parts.ts'
import { launchDaemon } from './launch-daemon.ts'
import { serveProcess } from './serve-process.ts'
import { watchLoop } from './watch-loop.ts'

/** Runs a server of the native protocol, and exits with its code. */
export function startServer(built: BuiltProgram): Promise<never> {
  takeAllocatorSettings(process.env)
  return runProgram('server', async (argv) => {
    const args = readServerArguments(argv)
    const options = readServerOptions({ ...args, hidden: hiddenFiles(args) }, process.env, built)
    if (args.role === 'launcher') return launchDaemon(options)
    // A daemon must not keep a folder in use. Its arguments are absolute by now.
    if (args.isDaemon) process.chdir('/')
    const parts = systemParts(options)
    watchLoop({ program: options.assets.stackReader, writeLog: parts.writeLog })
    return serveProcess(parts, args, options.assets.page)
  })
}

/**
 * Returns the sockets of a command line, and its files that let others connect or pose as the server: hidden from
 * commands.
 */
export function hiddenFiles({ listen, users, tokenFile, tls }: ServerArguments): readonly string[] {
  const sockets = listen.flatMap((address) => (address.kind === 'socket' ? [address.path] : []))
  return [...sockets, ...[users, tokenFile, tls?.keyFile ?? null].filter((file) => file !== null)]
}
