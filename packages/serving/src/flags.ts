import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { ServerFlags } from '@parley/client/named-servers'
import type { CeilingFlags } from '@parley/policy'
import { sandboxModes } from '@parley/protocol'
import { isInTheClear, serverAddress } from '@parley/rpc'

/** Error of usage: the message is for stderr, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Returns the values of a program's flags. Throws `UsageError` for a flag that the program does not have. */
export function parseFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  program: string,
  argv: readonly string[],
  options: Options,
) {
  return parseWords(program, argv, { options, allowPositionals: false }).values
}

/** Returns the values of a program's flags and its other words. Throws `UsageError` as `parseFlags` does. */
export function parseWords<const Options extends NonNullable<ParseArgsConfig['options']>>(
  program: string,
  argv: readonly string[],
  { options, allowPositionals }: { readonly options: Options; readonly allowPositionals: boolean },
) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals, strict: true })
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${sentence?.replace(/\.$/, '')}. parley help ${program} lists what there is.`)
  }
}

/** Makes a path of the command line absolute. Throws `UsageError` for a relative one in a folder that is gone. */
export function absolutePath(path: string): string {
  try {
    return resolve(path)
  } catch {
    throw new UsageError(
      `The folder that this was started in has been deleted or moved, so ${path} cannot be found. Give its whole path.`,
    )
  }
}

/** Address to listen on, as `--listen` gives it. */
export type Address =
  | { readonly kind: 'socket'; readonly path: string }
  | ({ readonly kind: 'websocket'; readonly isSecure?: true } & HostAndPort)

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** Reads `ws://HOST:PORT`, `wss://HOST:PORT` or `unix:PATH`. Throws `UsageError`. */
export function readAddress(text: string): Address {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { kind: 'socket', path: absolutePath(text.slice('unix:'.length)) }
  const found = hostAndPort(/^wss?:\/\/(\[[0-9a-f:.]+\]|[^/:]+):(\d{1,5})\/?$/i, text)
  if (found === null)
    throw new UsageError(`--listen takes ws://HOST:PORT, wss://HOST:PORT or unix:PATH, not ${JSON.stringify(text)}.`)
  return { kind: 'websocket', ...found, ...(/^wss:/i.test(text) ? { isSecure: true } : {}) }
}

/** Reads an address of a program that serves no TLS itself. Throws `UsageError`. */
export function readPlainAddress(text: string): Address {
  const address = readAddress(text)
  if (address.kind === 'websocket' && address.isSecure)
    throw new UsageError(`This program serves no wss:// itself: let it listen at ws:// on loopback, behind TLS or ssh.`)
  return address
}

/** Certificate and key of `wss://`, as files in PEM. */
export interface TlsPaths {
  readonly certFile: string
  readonly keyFile: string
}

/** Reads `ws://…` or `wss://…` as others are told it. Throws `UsageError`. */
export function readAdvertised(text: string): string {
  const url = serverAddress(text)
  if (url !== null) return url
  throw new UsageError(`--advertise takes wss://NAME:PORT or ws://NAME:PORT, not ${JSON.stringify(text)}.`)
}

/** Reads addresses of servers parted by commas, with TLS unless they are of this machine. Throws `UsageError`. */
export function readServers(flag: string, text: string, allowUnencrypted: boolean): readonly string[] {
  return text.split(',').map((each) => {
    const url = serverAddress(each)
    if (url === null)
      throw new UsageError(`${flag} takes wss://HOST:PORT, several with commas between, not ${JSON.stringify(each)}.`)
    if (!allowUnencrypted && isInTheClear(url))
      throw new UsageError(
        `${url} is another machine and has no TLS: the token, commands and files would be read on the way. Use wss://, or --allow-unencrypted.`,
      )
    return url
  })
}

/** Reads `http://HOST:PORT`, with or without `/mcp`. Throws `UsageError`. */
export function readHttpAddress(text: string): HostAndPort {
  const found = hostAndPort(/^http:\/\/(\[[0-9a-f:.]+\]|[^/:]+):(\d{1,5})(?:\/|\/mcp)?$/i, text)
  if (found === null) throw new UsageError(`--listen takes http://HOST:PORT, not ${JSON.stringify(text)}.`)
  return found
}

function hostAndPort(pattern: RegExp, text: string): HostAndPort | null {
  const [, host, digits] = pattern.exec(text) ?? []
  const port = Number(digits)
  return host === undefined || port > 65_535 ? null : { host: host.replace(/^\[|\]$/g, ''), port }
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
/** Longest delay of a timer. */
const maxMs = 2 ** 31 - 1

/** Reads a time such as `90s`, `30m` or `2h`; `never` is null. Throws `UsageError`. */
export function readDuration(flag: string, text: string): number | null {
  if (text === 'never') return null
  const match = /^(\d+)([smh])$/.exec(text)
  const ms = Number(match?.[1]) * (unitsMs[match?.[2] ?? ''] ?? Number.NaN)
  if (ms <= maxMs) return ms
  throw new UsageError(`${flag} takes a time such as 90s, 30m or 2h, or never, not ${JSON.stringify(text)}.`)
}

/** Flags of a program that connects to running servers. */
export const serverOptions = {
  server: { type: 'string', multiple: true },
  'ca-file': { type: 'string' },
  'allow-unencrypted': { type: 'boolean' },
} as const

interface ServerOptionValues {
  readonly server?: readonly string[] | undefined
  readonly 'token-file'?: string | undefined
  readonly 'ca-file'?: string | undefined
  readonly 'allow-unencrypted'?: boolean | undefined
}

/** Reads the flags that name servers; null where they name no server. Throws `UsageError`. */
export function readServerFlags(given: ServerOptionValues): ServerFlags | null {
  const { server: servers = [], 'token-file': tokenFile, 'ca-file': caFile } = given
  const allowUnencrypted = given['allow-unencrypted']
  if (servers.length > 0)
    return {
      servers,
      tokenFile: tokenFile === undefined ? undefined : absolutePath(tokenFile),
      caFile: caFile === undefined ? undefined : absolutePath(caFile),
      allowUnencrypted,
    }
  if (caFile !== undefined || allowUnencrypted === true)
    throw new UsageError('--ca-file and --allow-unencrypted need --server wss://HOST:PORT.')
  return null
}

/** Flags for the ceiling of a server. */
export const ceilingOptions = {
  'max-sandbox': { type: 'string' },
  'allow-never': { type: 'boolean' },
  profile: { type: 'string' },
  'allow-secret-folder': { type: 'string', multiple: true },
  safe: { type: 'boolean' },
} as const

interface CeilingOptionValues {
  readonly 'max-sandbox'?: string | undefined
  readonly 'allow-never'?: boolean | undefined
  readonly profile?: string | undefined
  readonly 'allow-secret-folder'?: readonly string[] | undefined
  readonly safe?: boolean | undefined
}

/** Reads the ceiling's flags. Throws `UsageError`. */
export function readCeiling(given: CeilingOptionValues): CeilingFlags {
  const wanted = given['max-sandbox']
  const maxSandbox = sandboxModes.find((mode) => mode === wanted) ?? null
  if (wanted !== undefined && maxSandbox === null)
    throw new UsageError(`--max-sandbox takes ${sandboxModes.join(', ')}, not ${JSON.stringify(wanted)}.`)
  if (given.safe === true && given.profile !== undefined)
    throw new UsageError('--profile names configuration, and --safe starts without it.')
  const secretFolders = (given['allow-secret-folder'] ?? []).map(absolutePath)
  return {
    maxSandbox,
    allowNever: given['allow-never'] === true,
    profile: given.profile ?? null,
    ...(given.safe === true ? { isSafe: true as const } : {}),
    ...(secretFolders.length === 0 ? {} : { secretFolders }),
  }
}
