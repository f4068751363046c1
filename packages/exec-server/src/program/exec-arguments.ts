import { join } from 'node:path'
import { nameForm, type SandboxMode } from '@parley/protocol'
import {
  type Address,
  absolutePath,
  homeFolder,
  parseFlags,
  readAuthorities,
  readCeiling,
  readPlainAddress,
  readServers,
  UsageError,
} from '@parley/serving'

/** Servers that an exec-server connects to by itself. */
export interface OutgoingLink {
  readonly servers: readonly string[]
  /** Name of the machine there. */
  readonly name: string
  /** Users besides the token's with the right to work on the machine. */
  readonly users: readonly string[] | null
  /** Certificates of authorities, in PEM; null for Node's own. */
  readonly ca: string | null
}

export interface ExecArguments {
  /** Address to listen on; null for stdin and stdout, and for a machine that connects by itself. */
  readonly listen: Address | null
  /** Servers to connect to in place of listening; null to listen. */
  readonly connect: OutgoingLink | null
  /** File of the token that clients send; with `connect`, of the token that is sent to servers. */
  readonly tokenFile: string
  /** Ceiling for clients; null for all rights of the exec-server's user. */
  readonly maxSandbox: SandboxMode | null
  /** Folders that bound reading, writing and starting; empty for no bounds. */
  readonly roots: readonly string[]
  /** True where clients may connect to ports on which sandboxed processes listen. */
  readonly ports: boolean
  /** True where sandboxed processes may use unix sockets. */
  readonly unixSockets: boolean
  /** Time that processes of a lost client go on; 0 ends them at once. */
  readonly lingerMs: number
}

const lingerMs = 30_000

const execFlags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  'no-linger': { type: 'boolean' },
  'max-sandbox': { type: 'string' },
  root: { type: 'string', multiple: true },
  forward: { type: 'string' },
  'unix-sockets': { type: 'string' },
  connect: { type: 'string' },
  name: { type: 'string' },
  users: { type: 'string' },
  'ca-file': { type: 'string' },
  'allow-unencrypted': { type: 'boolean' },
} as const

/** Reads the command line. Throws `UsageError` with one sentence as its message. */
export function readExecArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): ExecArguments {
  const given = parseFlags('exec-server', argv, execFlags)
  // Existing clients pass these words for the default.
  const isStdio = given.listen === undefined || given.listen === 'stdio' || given.listen === 'stdio://'
  const listen = isStdio ? null : readPlainAddress(given.listen ?? '')
  const connect = readOutgoing(given)
  if (given['token-file'] !== undefined && listen?.kind !== 'websocket' && connect === null)
    throw new UsageError('--token-file needs --listen ws://HOST:PORT, or --connect.')
  return {
    listen,
    connect,
    ...readMost(given),
    ports: readSwitch(given, 'forward'),
    unixSockets: readSwitch(given, 'unix-sockets'),
    tokenFile: absolutePath(given['token-file'] ?? join(homeFolder(env), 'exec-server-token')),
    // A client on stdio cannot come back.
    lingerMs: (listen === null && connect === null) || given['no-linger'] === true ? 0 : lingerMs,
  }
}

interface GivenMost {
  readonly 'max-sandbox'?: string | undefined
  readonly root?: readonly string[] | undefined
}

function readMost(given: GivenMost): Pick<ExecArguments, 'maxSandbox' | 'roots'> {
  const { maxSandbox } = readCeiling({ 'max-sandbox': given['max-sandbox'] })
  const roots = (given.root ?? []).map(absolutePath)
  if (roots.length === 0) return { maxSandbox, roots }
  if (maxSandbox === 'danger-full-access')
    throw new UsageError('--root limits sandboxed processes only: --max-sandbox workspace-write or read-only.')
  return { maxSandbox: maxSandbox ?? 'workspace-write', roots }
}

interface GivenSwitches extends GivenMost {
  readonly forward?: string | undefined
  readonly 'unix-sockets'?: string | undefined
  readonly connect?: string | undefined
}

/**
 * Reads a flag that lets something out of the sandboxes. Absent, it means yes only without `--connect`, `--root` and
 * `--max-sandbox`.
 */
function readSwitch(given: GivenSwitches, flag: 'forward' | 'unix-sockets'): boolean {
  const { [flag]: answer, connect, root, 'max-sandbox': most } = given
  if (answer === undefined) return connect === undefined && root === undefined && most === undefined
  if (answer !== 'yes' && answer !== 'no')
    throw new UsageError(`--${flag} takes yes or no, not ${JSON.stringify(answer)}.`)
  return answer === 'yes'
}

interface GivenLink {
  readonly connect?: string | undefined
  readonly listen?: string | undefined
  readonly name?: string | undefined
  readonly users?: string | undefined
  readonly 'token-file'?: string | undefined
  readonly 'ca-file'?: string | undefined
  readonly 'allow-unencrypted'?: boolean | undefined
}

const forConnect = ['name', 'users', 'ca-file', 'allow-unencrypted'] as const

function readOutgoing(given: GivenLink): OutgoingLink | null {
  const { connect, listen, name = '', users: named, 'ca-file': caFile } = given
  const alone = forConnect.find((flag) => given[flag] !== undefined)
  if (connect === undefined && alone !== undefined) throw new UsageError(`--${alone} needs --connect wss://HOST:PORT.`)
  if (connect === undefined) return null
  if (listen !== undefined) throw new UsageError('It either listens or connects: leave out --listen or --connect.')
  if (given['token-file'] === undefined)
    throw new UsageError(
      '--connect needs --token-file: a file that only you can read, with the token that the servers gave you.',
    )
  const users = named?.split(',').map((user) => user.trim()) ?? null
  const wrong = [name, ...(users ?? [])].find((text) => !nameForm.test(text))
  if (wrong !== undefined)
    throw new UsageError(
      `--connect needs --name NAME, and --users takes NAME,NAME: small letters, digits and . _ -, not ${JSON.stringify(wrong)}.`,
    )
  const servers = readServers('--connect', connect, given['allow-unencrypted'] === true)
  return { servers, name, users, ca: caFile === undefined ? null : readAuthorities(absolutePath(caFile)) }
}
