import type { ServerFlags } from '@parley/client/named-servers'
import type { CeilingFlags } from '@parley/policy'
import {
  type Address,
  absolutePath,
  ceilingOptions,
  type HostAndPort,
  parseFlags,
  readAddress,
  readAdvertised,
  readAuthorities,
  readCeiling,
  readDuration,
  readHttpAddress,
  readPlainAddress,
  readServerFlags,
  serverOptions,
  type TlsPaths,
  UsageError,
} from '@parley/serving'
import { readStore } from './shared-store.ts'

/** Command line of `server`. */
export interface ServerArguments {
  /**
   * Role of the process: server for the client on stdin, server for any client, or launcher of a server in the
   * background.
   */
  readonly role: 'client' | 'service' | 'launcher'
  readonly listen: readonly Address[]
  /** Token file; null means the one in the home folder. */
  readonly tokenFile: string | null
  /** Certificate of `wss://` addresses; null without such an address. */
  readonly tls: TlsPaths | null
  /** Address at which clients and other servers reach this one; null for the address of the listener. */
  readonly advertise: string | null
  /**
   * Certificates of authorities that sign certificates of the other servers, in PEM; null for the authorities of Node.
   */
  readonly ca: string | null
  /** Time without clients and work after which the server exits; null means never. */
  readonly idleExitMs: number | null
  /** File for recorded model responses; null for no recording. */
  readonly recordTo: string | null
  /** True when recorded text streams at reading pace. */
  readonly paced: boolean
  /** True when a launcher waits for this process to report. */
  readonly isDaemon: boolean
  /** Servers of the store that is shared with other servers; null for the store of the configuration. */
  readonly store: readonly string[] | null
  /** File of the users; null for the file of the configuration, if it names one. */
  readonly users: string | null
  /** True when the websockets serve the page to browsers. */
  readonly page: boolean
  /** True when `/metrics` of the websockets has counts. */
  readonly metrics: boolean
  /** True when events are written to stderr, a JSON object a line. */
  readonly logsJson: boolean
  readonly ceiling: CeilingFlags
}

const daemonIdleExit = '30m'

const serverFlags = {
  listen: { type: 'string', multiple: true },
  'token-file': { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  advertise: { type: 'string' },
  'ca-file': { type: 'string' },
  daemon: { type: 'boolean' },
  /** Set by the launcher, not by users. */
  'daemon-process': { type: 'boolean' },
  'idle-exit': { type: 'string' },
  record: { type: 'string' },
  store: { type: 'string' },
  users: { type: 'string' },
  metrics: { type: 'boolean' },
  'log-format': { type: 'string' },
  page: { type: 'boolean' },
  unpaced: { type: 'boolean' },
  ...ceilingOptions,
} as const

function parseServerFlags(argv: readonly string[]) {
  return parseFlags('server', argv, serverFlags)
}

/** Reads the command line. Throws `UsageError` with a message of one sentence. */
export function readServerArguments(argv: readonly string[]): ServerArguments {
  const given = parseServerFlags(argv)
  const isDaemon = given['daemon-process'] === true
  const listen = (given.listen ?? []).map(readAddress)
  const isService = isDaemon || given.daemon === true || listen.length > 0
  assertFlagsFit(given, listen, isService)
  const format = given['log-format']
  if (format !== undefined && format !== 'json')
    throw new UsageError(`--log-format takes json, not ${JSON.stringify(format)}.`)
  if (format !== undefined && (listen.length === 0 || isDaemon || given.daemon === true))
    throw new UsageError(
      '--log-format json writes to stderr, which is for people unless it has --listen and no --daemon.',
    )
  const idleExit = given['idle-exit'] ?? (isDaemon ? daemonIdleExit : 'never')
  return {
    role: given.daemon === true ? 'launcher' : isService ? 'service' : 'client',
    listen,
    tokenFile: absolute(given['token-file']),
    tls: tlsOf(given, listen),
    advertise: given.advertise === undefined ? null : advertised(given.advertise, listen),
    ca: given['ca-file'] === undefined ? null : readAuthorities(absolutePath(given['ca-file'])),
    idleExitMs: readDuration('--idle-exit', idleExit),
    recordTo: absolute(given.record),
    paced: given.unpaced !== true,
    isDaemon,
    store: given.store === undefined ? null : readStore(given.store),
    users: absolute(given.users),
    page: given.page === true,
    metrics: given.metrics === true,
    logsJson: format === 'json',
    ceiling: readCeiling(given),
  }
}

type ParsedServerFlags = ReturnType<typeof parseServerFlags>

/** Throws `UsageError` for flags without the one that they belong to. */
function assertFlagsFit(given: ParsedServerFlags, listen: readonly Address[], isService: boolean): void {
  const hasWebsocket = listen.some(({ kind }) => kind === 'websocket')
  if (given['idle-exit'] !== undefined && !isService) throw new UsageError('--idle-exit needs --daemon or --listen.')
  if (given['token-file'] !== undefined && !hasWebsocket)
    throw new UsageError('--token-file needs --listen ws://HOST:PORT.')
  if (given['token-file'] !== undefined && given.users !== undefined)
    throw new UsageError('--users gives each user a token, so that --token-file names none.')
  if (given.metrics === true && !hasWebsocket)
    throw new UsageError('--metrics needs --listen ws://HOST:PORT, which serves them at /metrics.')
  if (given['ca-file'] !== undefined && !hasWebsocket)
    throw new UsageError('--ca-file needs --listen wss://HOST:PORT, whose clients are passed on to other servers.')
  if (given.page === true && !hasWebsocket)
    throw new UsageError('--page needs --listen wss://HOST:PORT, which serves it to browsers.')
}

function tlsOf({ 'tls-cert': cert, 'tls-key': key }: ParsedServerFlags, listen: readonly Address[]): TlsPaths | null {
  const isServed = listen.some((address) => address.kind === 'websocket' && address.isSecure === true)
  if (!isServed && cert === undefined && key === undefined) return null
  if (isServed && cert !== undefined && key !== undefined)
    return { certFile: absolutePath(cert), keyFile: absolutePath(key) }
  throw new UsageError('--listen wss://HOST:PORT, --tls-cert FILE and --tls-key FILE go together.')
}

function advertised(text: string, listen: readonly Address[]): string {
  if (listen.some(({ kind }) => kind === 'websocket')) return readAdvertised(text)
  throw new UsageError('--advertise needs --listen ws://HOST:PORT or wss://HOST:PORT.')
}

function absolute(path: string | undefined): string | null {
  return path === undefined ? null : absolutePath(path)
}

/** Ceiling of a program that names itself in advice. */
export type ProgramCeiling = CeilingFlags & Required<Pick<CeilingFlags, 'program'>>

/** Command line of a program with clients that speak another protocol than the native one. */
export interface FrontendArguments {
  /** Servers of a team in place of an engine of its own; null for an own engine. */
  readonly server: ServerFlags | null
  readonly ceiling: ProgramCeiling
  /** Token file, hidden from commands; null for the one in the home folder, absent for a program without one. */
  readonly tokenFile?: string | null
}

export interface McpArguments extends FrontendArguments {
  /** Address for HTTP; null means stdin and stdout. */
  readonly listen: HostAndPort | null
  /** Time that a client may take to answer an approval. */
  readonly approvalTimeoutMs: number
}

const mcpFlags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  ...serverOptions,
  'approval-timeout': { type: 'string' },
  ...ceilingOptions,
} as const

const defaultTimeout = '30m'
/** Longest delay of a timer, used for `never`. */
const longestMs = 2 ** 31 - 1

/** Reads the command line. Throws `UsageError` with a message of one sentence. */
export function readMcpArguments(argv: readonly string[]): McpArguments {
  const given = parseFlags('mcp-server', argv, mcpFlags)
  const server = readServerFlags(given)
  if (given['token-file'] !== undefined && given.listen === undefined && server === null)
    throw new UsageError('--token-file needs --listen http://HOST:PORT, or --server.')
  const timeoutMs = readDuration('--approval-timeout', given['approval-timeout'] ?? defaultTimeout)
  return {
    server,
    listen: given.listen === undefined ? null : readHttpAddress(given.listen),
    // With --server it is the token of that.
    tokenFile: server === null ? absolute(given['token-file']) : null,
    approvalTimeoutMs: timeoutMs ?? longestMs,
    ceiling: { ...readCeiling(given), program: 'mcp-server' },
  }
}

const acpFlags = { 'token-file': { type: 'string' }, ...serverOptions, ...ceilingOptions } as const

/** Reads the command line. Throws `UsageError` with a message of one sentence. */
export function readAcpArguments(argv: readonly string[]): FrontendArguments {
  const given = parseFlags('acp', argv, acpFlags)
  const server = readServerFlags(given)
  if (given['token-file'] !== undefined && server === null) throw new UsageError('--token-file needs --server.')
  return { server, ceiling: { ...readCeiling(given), program: 'acp' } }
}

export interface AppServerArguments extends FrontendArguments {
  /** Address to listen on; null means stdin and stdout. */
  readonly listen: Address | null
}

const appServerFlags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  ...serverOptions,
  // Flags that programs written for Codex pass, and that change nothing here.
  stdio: { type: 'boolean' },
  config: { type: 'string', short: 'c', multiple: true },
  'analytics-default-enabled': { type: 'boolean' },
  ...ceilingOptions,
} as const

/** Reads the command line. Throws `UsageError` with a message of one sentence. */
export function readAppServerArguments(argv: readonly string[]): AppServerArguments {
  const given = parseFlags('app-server', argv, appServerFlags)
  const isStdio = given.listen === undefined || /^stdio(?::\/\/)?$/.test(given.listen)
  const listen = isStdio ? null : readPlainAddress((given.listen ?? '').replace(/^unix:\/\//, 'unix:'))
  const server = readServerFlags(given)
  if (given['token-file'] !== undefined && listen?.kind !== 'websocket' && server === null)
    throw new UsageError('--token-file needs --listen ws://HOST:PORT, or --server.')
  return {
    server,
    listen,
    tokenFile: server === null ? absolute(given['token-file']) : null,
    ceiling: { ...readCeiling(given), program: 'app-server' },
  }
}
