import { delimiter, dirname, join } from 'node:path'
import type { ReadStream } from 'node:tty'
import { fileURLToPath } from 'node:url'
import {
  type HomeAndEnv,
  isServerUrl,
  type NamedServer,
  NamedServerError,
  readNamedServers,
} from '@parley/client/named-servers'
import { type ServerProcess, startServerProcess } from '@parley/client/server-process'
import {
  beforeDashes,
  ceilingFlags,
  serverNodeFlags,
  serverPrograms,
  valuesOf,
  withCallersKey,
} from './early-arguments.ts'
import { misused } from './exit-codes.ts'
import { type EnvVariables, fromWorkingFolder, homeFolder } from './folders.ts'

/** Version, build and location of this program. */
export interface ProgramBuild {
  readonly version: string
  readonly build: string
  readonly moduleUrl: string
  /** Additional variables of a server. */
  readonly serverEnv: EnvVariables
}

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

/** Server of a command and how to start it. */
interface LaunchOptions {
  readonly program: ProgramBuild
  /** `$PARLEY_HOME`, absolute. */
  readonly home: string
  readonly env: EnvVariables
  /** The server's ceiling, as flags of the server. */
  readonly ceiling: readonly string[]
  /** Servers that the command line names; null for a command that starts its own. */
  readonly server: NamedServer | null
}

/** Everything that a command runs with. */
export interface Launch extends LaunchOptions {
  /** Streams of the process. Reading `stdin` opens it, which stops a background job. */
  readonly streams: Streams
  /** Server started before the command was loaded; null if it seemed not to be needed. */
  readonly early: LaunchedServer | null
}

export interface LaunchedServer extends ServerProcess {
  /** Marks the server as used: its connection decides how it ends. */
  claim(): void
  readonly isClaimed: boolean
}

/** Returns the command of the server built with this program. `args` are the server's own arguments. */
function serverCommand({ moduleUrl }: ProgramBuild, args: readonly string[]): readonly [string, ...string[]] {
  const path = join(dirname(fileURLToPath(moduleUrl)), 'server.mjs')
  return [process.execPath, ...serverNodeFlags, path, ...args]
}

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
    input: server.input,
    output: server.output,
    pid: server.pid,
    program: server.program,
    exited: server.exited,
    stderrTail: server.stderrTail,
    kill: server.kill,
    release: server.release,
    claim() {
      isClaimed = true
    },
    get isClaimed() {
      return isClaimed
    },
  }
}

/** Returns how servers of a command are launched. Throws `noHome`. */
export function launchOptions(argv: readonly string[], program: ProgramBuild): LaunchOptions {
  const env = withCallersKey(argv, process.env)
  const home = homeFolder(env)
  return { program, home, env, ceiling: ceilingFlags(argv), server: readNamedServer(argv, { env, home }) }
}

/** Starts the server as `launchEarly` does. Returns null on a failure, which is reported when it happens again. */
export function tryLaunch(argv: readonly string[], program: ProgramBuild): LaunchedServer | null {
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
  // Starts its server itself, with the file that --users names.
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
function withOwnNode(env: EnvVariables): EnvVariables {
  return { ...env, PATH: [env['PATH'], dirname(process.execPath)].filter(Boolean).join(delimiter) }
}

/** Arguments of a server for scripted mode: recordings are played without pauses. */
export const scriptedArgs = ['--unpaced'] as const

/**
 * Returns the servers of `--server`, or of `attach URL`, with the token; null if no server is named. Reads the words
 * without parsing them, because a server of this command would start first. Throws a usage error.
 */
export function readNamedServer(argv: readonly string[], source: HomeAndEnv): NamedServer | null {
  const words = beforeDashes(argv)
  // Both expressions find the address of `attach --server URL`.
  const servers = [...new Set([...valuesOf(words, '--server', '--server'), ...attachedUrls(words)])]
  if (servers.length === 0) return null
  const refused = ['--safe', '--record', '--allow-secret-folder'].find((flag) =>
    words.some((word) => word === flag || word.startsWith(`${flag}=`)),
  )
  if (refused !== undefined) throw misused(`${refused} is for a server of this command's own: leave out --server.`)
  const file = (flag: '--ca-file' | '--token-file') => {
    const named = valuesOf(words, flag, flag).at(-1)
    return named === undefined ? undefined : fromWorkingFolder(named)
  }
  const flags = { servers, tokenFile: file('--token-file'), caFile: file('--ca-file') }
  try {
    return readNamedServers({ ...flags, allowUnencrypted: words.includes('--allow-unencrypted') }, source)
  } catch (error) {
    throw error instanceof NamedServerError ? misused(error.message) : error
  }
}

/** Returns the addresses in the place of an id: `attach wss://…`. */
function attachedUrls(words: readonly string[]): readonly string[] {
  return words.includes('attach') ? words.filter(isServerUrl) : []
}
