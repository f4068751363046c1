import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { valuesOf } from './early-arguments.ts'
import { misused } from './exit-codes.ts'
import { fromWorkingFolder } from './folders.ts'

/** Servers that a command line names in place of one of its own, as the client library takes them. */
export interface NamedServer {
  readonly urls: readonly string[]
  readonly token: string
  readonly ca?: string
  readonly allowUnencrypted?: true
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/** Variable with the token, where no file is named. */
const tokenVariable = 'PARLEY_SERVER_TOKEN'

/**
 * Returns the servers of `--server`, or of `attach URL`, with the token; null where none is named. Reads the words without
 * parsing them, because a server of its own starts first. Throws a usage error.
 */
export function readNamedServer(argv: readonly string[], place: Place): NamedServer | null {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)
  const named = [...valuesOf(words, '--server', '--server'), ...attachedUrls(words)]
  if (named.length === 0) return null
  const refused = ['--safe', '--record', '--allow-secret-folder'].find((flag) =>
    words.some((word) => word === flag || word.startsWith(`${flag}=`)),
  )
  if (refused !== undefined) throw misused(`${refused} is for a server of this command's own: leave out --server.`)
  const ca = valuesOf(words, '--ca-file', '--ca-file').at(-1)
  return {
    urls: named.flatMap((text) => text.split(',')).map(readUrl),
    token: readToken(valuesOf(words, '--token-file', '--token-file').at(-1), place),
    ...(ca === undefined ? {} : { ca: readNamed('--ca-file', fromWorkingFolder(ca)) }),
    ...(words.includes('--allow-unencrypted') ? { allowUnencrypted: true } : {}),
  }
}

/** Returns the addresses that stand in the place of an id: `attach wss://…`. */
function attachedUrls(words: readonly string[]): readonly string[] {
  return words.includes('attach') ? words.filter(isServerUrl) : []
}

export function isServerUrl(word: string): boolean {
  return /^wss?:\/\//i.test(word)
}

function readUrl(text: string): string {
  const url = text.trim()
  if (isServerUrl(url) && URL.canParse(url)) return url
  throw misused(`--server takes wss://HOST:PORT, several with commas between, not ${JSON.stringify(text)}.`)
}

function readToken(file: string | undefined, { env, home }: Place): string {
  if (file !== undefined) return readNamed('--token-file', fromWorkingFolder(file)).trim()
  const known = knownToken({ env, home })
  if (known !== null) return known
  throw misused(`The server asks for its token: name the file with --token-file, or set ${tokenVariable}.`)
}

/** Returns the token of servers that share a store with those of this home; null where none is known. */
export function knownToken({ env, home }: Place): string | null {
  const given = env[tokenVariable]?.trim() ?? ''
  if (given !== '') return given
  try {
    return readFileSync(join(home, 'server-token'), 'utf8').trim()
  } catch {
    return null
  }
}

function readNamed(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw misused(`The file of ${flag} cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
}
