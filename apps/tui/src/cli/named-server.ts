import {
  type HomeAndEnv,
  isServerUrl,
  type NamedServer,
  NamedServerError,
  readNamedServers,
} from '@parley/client/named-servers'
import { beforeDashes, valuesOf } from './early-arguments.ts'
import { misused } from './exit-codes.ts'
import { fromWorkingFolder } from './folders.ts'

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
