import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificateFault, serverAddress } from '@parley/rpc'

/** Servers that a command line names, as the client library takes them. */
export interface NamedServer {
  readonly urls: readonly string[]
  readonly token: string
  readonly ca?: string
  readonly allowUnencrypted?: true
}

/** Fault in how servers are named; the message is one sentence. */
export class NamedServerError extends Error {
  override readonly name = 'NamedServerError'
}

/** Exit codes of programs that no server lets in, by the code of the error. */
export const unreachedExits = { notSecure: 2, accessEnded: 3, serverUnreachable: 8 } as const

/** Flags that name servers; paths are absolute. */
export interface ServerFlags {
  /** Values of `--server`, each of one or more addresses with commas between. */
  readonly servers: readonly string[]
  readonly tokenFile?: string | undefined
  readonly caFile?: string | undefined
  readonly allowUnencrypted?: boolean | undefined
}

/** Environment variables and home of a program. */
export interface HomeAndEnv {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/** Variable with the token, where no file is named. */
const tokenVariable = 'PARLEY_SERVER_TOKEN'

/** Returns the servers with their token: from the file, else from the variable, else from the home. Throws `NamedServerError`. */
export function readNamedServers(flags: ServerFlags, source: HomeAndEnv): NamedServer {
  const { servers, tokenFile, caFile, allowUnencrypted } = flags
  return {
    urls: servers.flatMap((text) => text.split(',')).map(readUrl),
    token: readToken(tokenFile, source),
    ...(caFile === undefined ? {} : { ca: readAuthorities(caFile) }),
    ...(allowUnencrypted === true ? { allowUnencrypted: true } : {}),
  }
}

/** Returns true for a word that means a server rather than a conversation. */
export function isServerUrl(word: string): boolean {
  return /^wss?:\/\//i.test(word)
}

function readUrl(text: string): string {
  const url = serverAddress(text)
  if (url !== null) return url
  throw new NamedServerError(
    `--server takes wss://HOST:PORT, several with commas between, not ${JSON.stringify(text)}.`,
  )
}

function readToken(file: string | undefined, source: HomeAndEnv): string {
  if (file !== undefined) {
    const named = readNamed('--token-file', file).trim()
    if (named === '') throw new NamedServerError(`The file of --token-file, ${file}, is empty.`)
    return named
  }
  const known = knownToken(source)
  if (known !== null) return known
  throw new NamedServerError(`The server asks for its token: name the file with --token-file, or set ${tokenVariable}.`)
}

/** Returns the token of servers that share a store with the servers of this home; null for an unknown token. */
export function knownToken({ env, home }: HomeAndEnv): string | null {
  const given = env[tokenVariable]?.trim() ?? ''
  if (given !== '') return given
  try {
    return readFileSync(join(home, 'server-token'), 'utf8').trim()
  } catch {
    return null
  }
}

function readAuthorities(path: string): string {
  const pem = readNamed('--ca-file', path)
  const fault = certificateFault(pem)
  if (fault === null) return pem
  throw new NamedServerError(`The file of --ca-file, ${path}, ${fault}.`)
}

function readNamed(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new NamedServerError(`The file of ${flag} cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
}
