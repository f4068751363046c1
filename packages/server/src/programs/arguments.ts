import { join, resolve } from 'node:path'
import type { CeilingFlags } from '../engine/limits/ceiling.ts'
import {
  type Address,
  ceilingOptions,
  type HostAndPort,
  parseFlags,
  readAddress,
  readCeiling,
  readDuration,
  readHttpAddress,
  UsageError,
} from '../serving/flags.ts'
import { homeFolder } from './home-folder.ts'

/** How a server is to be reached and how long it stays. */
export interface ServerArguments {
  /** `client`: for whoever is at its stdin; `service`: for whoever comes; `launcher`: starts a service in the background. */
  readonly role: 'client' | 'service' | 'launcher'
  readonly listen: readonly Address[]
  /** Null: the one in the home. */
  readonly tokenFile: string | null
  /** Null: never. */
  readonly idleExitMs: number | null
  /** Where models' words are written down. */
  readonly recordTo: string | null
  /** Recorded text streams at reading pace. */
  readonly paced: boolean
  /** It was started by a launcher that waits for a word. */
  readonly isDaemon: boolean
  readonly ceiling: CeilingFlags
}

const daemonIdleExit = '30m'

const serverFlags = {
  listen: { type: 'string', multiple: true },
  'token-file': { type: 'string' },
  daemon: { type: 'boolean' },
  /** What a launcher starts; not for people. */
  'daemon-process': { type: 'boolean' },
  'idle-exit': { type: 'string' },
  record: { type: 'string' },
  unpaced: { type: 'boolean' },
  ...ceilingOptions,
} as const

/** Throws `UsageError`, whose message is one sentence. */
export function readServerArguments(argv: readonly string[]): ServerArguments {
  const given = parseFlags('server', argv, serverFlags)
  const isDaemon = given['daemon-process'] === true
  const listen = (given.listen ?? []).map(readAddress)
  const isService = isDaemon || given.daemon === true || listen.length > 0
  if (given['idle-exit'] !== undefined && !isService) throw new UsageError('--idle-exit needs --daemon or --listen.')
  if (given['token-file'] !== undefined && !listen.some(({ kind }) => kind === 'websocket'))
    throw new UsageError('--token-file needs --listen ws://HOST:PORT.')
  const idleExit = given['idle-exit'] ?? (isDaemon ? daemonIdleExit : 'never')
  return {
    role: given.daemon === true ? 'launcher' : isService ? 'service' : 'client',
    listen,
    tokenFile: absolute(given['token-file']),
    idleExitMs: readDuration('--idle-exit', idleExit),
    recordTo: absolute(given.record),
    paced: given.unpaced !== true,
    isDaemon,
    ceiling: readCeiling(given),
  }
}

function absolute(path: string | undefined): string | null {
  return path === undefined ? null : resolve(path)
}

export interface McpArguments {
  /** Null: the client is at stdin and stdout. */
  readonly listen: HostAndPort | null
  /** Null: the one in the home. */
  readonly tokenFile: string | null
  /** How long a client may take to answer an approval. */
  readonly approvalTimeoutMs: number
  readonly ceiling: CeilingFlags
}

const mcpFlags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  'approval-timeout': { type: 'string' },
  ...ceilingOptions,
} as const

const defaultTimeout = '30m'
/** What a timer can count: as good as never. */
const longestMs = 2 ** 31 - 1

/** Throws `UsageError`, whose message is one sentence. */
export function readMcpArguments(argv: readonly string[]): McpArguments {
  const given = parseFlags('mcp-server', argv, mcpFlags)
  if (given['token-file'] !== undefined && given.listen === undefined) {
    throw new UsageError('--token-file needs --listen http://HOST:PORT.')
  }
  const timeoutMs = readDuration('--approval-timeout', given['approval-timeout'] ?? defaultTimeout)
  return {
    listen: given.listen === undefined ? null : readHttpAddress(given.listen),
    tokenFile: given['token-file'] === undefined ? null : resolve(given['token-file']),
    approvalTimeoutMs: timeoutMs ?? longestMs,
    ceiling: readCeiling(given),
  }
}

export interface ExecArguments {
  /** Null: for whoever is at its stdin. */
  readonly listen: Address | null
  readonly tokenFile: string
  /** What a lost client runs goes on for so long; 0: it ends at once. */
  readonly lingerMs: number
}

const lingerMs = 30_000

const execFlags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  'no-linger': { type: 'boolean' },
} as const

/** Throws `UsageError`, whose message is one sentence. */
export function readExecArguments(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): ExecArguments {
  const given = parseFlags('exec-server', argv, execFlags)
  // Existing clients say in words what is meant without them.
  const isStdio = given.listen === undefined || given.listen === 'stdio' || given.listen === 'stdio://'
  const listen = isStdio ? null : readAddress(given.listen ?? '')
  if (given['token-file'] !== undefined && listen?.kind !== 'websocket')
    throw new UsageError('--token-file needs --listen ws://HOST:PORT.')
  return {
    listen,
    tokenFile: resolve(given['token-file'] ?? join(homeFolder(env), 'exec-server-token')),
    // Over stdio nobody can come back.
    lingerMs: listen === null || given['no-linger'] === true ? 0 : lingerMs,
  }
}
