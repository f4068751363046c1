import { delimiter, dirname, join } from 'node:path'
import type { ReadStream } from 'node:tty'
import { fileURLToPath } from 'node:url'
import type { NamedServer } from '@parley/client/named-servers'
import { type ServerProcess, startServerProcess } from '@parley/client/server-process'
import { ceilingFlags, serverNodeFlags, serverPrograms, withCallersKey } from './early-arguments.ts'
import { homeFolder } from './folders.ts'
import { readNamedServer } from './named-server.ts'

/** Version, build and location of this program. */
export interface Program {
  readonly version: string
  readonly build: string
  readonly moduleUrl: string
  /** Variables that a server gets besides those of this process. */
  readonly serverEnv: Readonly<Record<string, string | undefined>>
}

/** Streams of a command. */
export interface Streams {
  readonly stdin: Pick<ReadStream, 'isTTY'> & AsyncIterable<Buffer | string>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export interface OutputStream {
  readonly fd: number
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Environment of a command. */
export interface Launch {
  readonly program: Program
  /** Streams of the process. Reading `stdin` opens it, which stops a background job. */
  readonly streams: Streams
  /** `$PARLEY_HOME`, absolute. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The server's ceiling, as flags of the server. */
  readonly ceiling: readonly string[]
  /** Servers that the command line names; null for one of this command's own. */
  readonly server: NamedServer | null
  /** Server started before the command was loaded; null if none seemed needed. */
  readonly early: LaunchedServer | null
}

export interface LaunchedServer extends ServerProcess {
  /** Marks the server as used: its connection decides how it ends. */
  claim(): void
  readonly isClaimed: boolean
}

interface LaunchOptions {
  readonly program: Program
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ceiling: readonly string[]
  readonly server: NamedServer | null
}

/** Returns the command of the server built with this program. `args` are the server's own arguments. */
function serverCommand({ moduleUrl }: Program, args: readonly string[]): readonly [string, ...string[]] {
  const path = join(dirname(fileURLToPath(moduleUrl)), 'server.mjs')
  return [process.execPath, ...serverNodeFlags, path, ...args]
}

/** Starts a server process. */
export function launchServer(
  { program, home, env, ceiling }: Omit<LaunchOptions, 'server'>,
  args: readonly string[],
): LaunchedServer {
  const server = startServerProcess({
    command: serverCommand(program, [...ceiling, ...args]),
    env: { ...env, ...program.serverEnv, PARLEY_HOME: home },
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

/** Returns how servers of a command are launched. Throws `noHome`. */
export function launchOptions(argv: readonly string[], program: Program): LaunchOptions {
  const env = withCallersKey(argv, process.env)
  const home = homeFolder(env)
  return { program, home, env, ceiling: ceilingFlags(argv), server: readNamedServer(argv, { env, home }) }
}

/** Starts the server as `launchEarly` does. Returns null on a failure, which comes again where it is reported. */
export function tryLaunch(argv: readonly string[], program: Program): LaunchedServer | null {
  try {
    return launchEarly(argv, launchOptions(argv, program))
  } catch {
    return null
  }
}

const withoutServer = new Set<string>([
  ...serverPrograms,
  'help',
  'completion',
  'update',
  'uninstall',
  // Its server gets the file of `--users`.
  'user',
  '--help',
  '-h',
  '--version',
  '-V',
  '--record',
])

/**
 * Starts the server before the command line is parsed, if its words suggest that one is needed. A wrong guess costs a
 * process. Returns null for commands without a server, or with arguments for it.
 */
export function launchEarly(argv: readonly string[], options: LaunchOptions): LaunchedServer | null {
  if (options.server !== null || argv.some((word) => withoutServer.has(word) || word.startsWith('--record=')))
    return null
  const env = argv.includes('demo') ? withOwnNode(options.env) : options.env
  return launchServer({ ...options, env }, argv.includes('exec') ? scriptedArgs : [])
}

/** Adds this program's Node to the PATH: the demo runs tests with `node`. */
function withOwnNode(env: LaunchOptions['env']): LaunchOptions['env'] {
  return { ...env, PATH: [env['PATH'], dirname(process.execPath)].filter(Boolean).join(delimiter) }
}

/** Arguments of a server for scripted mode: recordings are played without pauses. */
export const scriptedArgs = ['--unpaced'] as const
