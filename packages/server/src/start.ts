import { type NamedServer, NamedServerError, readNamedServers, type ServerFlags } from '@parley/client/named-servers'
import type { EngineParts } from '@parley/engine'
import { closeInheritedDescriptors } from '@parley/host'
import { runProgram, UsageError } from '@parley/serving'
import {
  type FrontendArguments,
  readAcpArguments,
  readAppServerArguments,
  readMcpArguments,
} from './programs/arguments.ts'
import { startServer } from './programs/server/start-server.ts'
import { readServerOptions, systemParts } from './programs/system-parts.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD }

/** Programs with an engine, by their names behind `parley`. The code of a frontend is read when its program starts. */
const programs = {
  server: () => startServer(built),
  'mcp-server': () =>
    runFrontend('mcp-server', readMcpArguments, async (parts, args, server) => {
      const { runMcpServer } = await import('./programs/mcp-server/run-mcp-server.ts')
      return runMcpServer(parts, args, server)
    }),
  'app-server': () =>
    runFrontend('app-server', readAppServerArguments, async (parts, args, server) => {
      const { runAppServer } = await import('./programs/app-server/run-app-server.ts')
      return runAppServer(parts, args, server)
    }),
  store: () =>
    runProgram('store', async (argv) => {
      const { startStore } = await import('./programs/store/run-store.ts')
      return startStore(argv)
    }),
  acp: () =>
    runFrontend('acp', readAcpArguments, async (parts, args, server) => {
      const { runAcp } = await import('./programs/acp/run-acp.ts')
      return runAcp(parts, args, server)
    }),
}

/** Runs the program of this name with the arguments of the process, and exits with its code. */
export function start(name: keyof typeof programs): Promise<never> {
  // Before anything else: Node marks each descriptor that it opens itself, so an inheritable one now came from outside.
  closeInheritedDescriptors()
  return programs[name]()
}

/** Runs a program with clients that speak another protocol than the native one. */
function runFrontend<Arguments extends FrontendArguments>(
  name: string,
  readArguments: (argv: readonly string[]) => Arguments,
  run: (parts: EngineParts, args: Arguments, server: NamedServer | null) => Promise<number>,
): Promise<never> {
  return runProgram(name, async (argv) => {
    const args = readArguments(argv)
    const hidden = args.tokenFile == null ? [] : [args.tokenFile]
    const options = readServerOptions({ paced: true, recordTo: null, hidden }, process.env, built)
    return run(systemParts(options), args, namedServer(args.server, options))
  })
}

/** Returns the servers of a team that a program uses; null where the flags name no server. Throws `UsageError`. */
function namedServer(flags: ServerFlags | null, place: Parameters<typeof readNamedServers>[1]): NamedServer | null {
  try {
    return flags === null ? null : readNamedServers(flags, place)
  } catch (error) {
    throw error instanceof NamedServerError ? new UsageError(error.message) : error
  }
}
