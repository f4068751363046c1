import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SpawnedServer, spawnServer } from '@parley/client'
import { serverNodeFlags, serverPrograms } from './server-programs.ts'

/** What this build is, and where its files lie. */
export interface Program {
  readonly version: string
  readonly build: string
  readonly moduleUrl: string
}

/** Everything a command runs with. */
export interface Launch {
  readonly program: Program
  /** `$PARLEY_HOME`, absolute. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** How much its server may allow, as flags of the server. */
  readonly ceiling: readonly string[]
  /** The server, started before anything slow was loaded; null when none seemed needed. */
  readonly early: LaunchedServer | null
}

export interface LaunchedServer extends SpawnedServer {
  /** Whoever has connected to it lets it go in their own way: it may have other clients by then. */
  claim(): void
  readonly isClaimed: boolean
}

interface LaunchOptions {
  readonly program: Program
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ceiling: readonly string[]
}

/** How the server that was built with this program is started. `args` are its own arguments, such as `--record FILE`. */
export function serverCommand({ moduleUrl }: Program, args: readonly string[]): readonly [string, ...string[]] {
  const path = join(dirname(fileURLToPath(moduleUrl)), 'server.mjs')
  return [process.execPath, ...serverNodeFlags, path, ...args]
}

/** A server in a process of its own. */
export function launchServer({ program, home, env, ceiling }: LaunchOptions, args: readonly string[]): LaunchedServer {
  const server = spawnServer({
    command: serverCommand(program, [...ceiling, ...args]),
    env: { ...env, PARLEY_HOME: home },
    home,
  })
  let isClaimed = false
  return {
    ...server,
    claim() {
      isClaimed = true
    },
    get isClaimed() {
      return isClaimed
    },
  }
}

const withoutServer = new Set<string>([...serverPrograms, 'help', '--help', '-h', '--version', '-V', '--record'])

/**
 * A guess from the words alone, made before the command line is parsed; a wrong one costs a process that leaves
 * again. Null when no server seems to be needed, or one with arguments of its own.
 */
export function launchEarly(argv: readonly string[], options: LaunchOptions): LaunchedServer | null {
  if (argv.some((word) => withoutServer.has(word) || word.startsWith('--record='))) return null
  const env = argv.includes('demo') ? withOwnNode(options.env) : options.env
  return launchServer({ ...options, env }, argv.includes('exec') ? scriptedArgs : [])
}

/** The demo runs tests with `node`, and this machine may have none but ours. */
function withOwnNode(env: LaunchOptions['env']): LaunchOptions['env'] {
  return { ...env, PATH: [env['PATH'], dirname(process.execPath)].filter(Boolean).join(delimiter) }
}

/** Nobody watches a script: a recording is played as fast as it goes. */
export const scriptedArgs = ['--unpaced'] as const
