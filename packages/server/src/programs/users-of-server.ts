import { ConfigError, readEffectiveConfig } from '@parley/config'
import type { LogEvent } from '@parley/engine'
import type { ServerUsers } from '@parley/team/people'

interface UsersOpening {
  readonly home: string
  readonly writeLog: (line: string) => void
  /** Logs that the file cannot be used, in place of a sentence on stderr. */
  readonly logEvent?: LogEvent | undefined
  /** True where a file that cannot be used is a problem: no user could connect. */
  readonly isStrict: boolean
}

/** Opens the users of `--users` or of `users_file` in the configuration; null where neither names a file. */
export async function openUsersOfServer(
  given: string | null,
  { home, writeLog, logEvent, isStrict }: UsersOpening,
): Promise<{ readonly users: ServerUsers | null } | { readonly problem: string }> {
  const file = given ?? configuredUsersFile(home)
  if (file === null) return { users: null }
  // Loaded only here: most servers have no users.
  const { openUsers } = await import('@parley/team/people')
  // A problem that keeps a server from starting is reported once: by the caller, which gets it.
  let isStarting = isStrict
  const users = openUsers(file, (sentence) => {
    writeLog(sentence)
    if (logEvent !== undefined) logEvent({ event: 'users.unreadable' })
    else if (!isStarting) process.stderr.write(`parley: ${sentence}\n`)
  })
  const { problem } = users
  isStarting = false
  if (problem === null || !isStrict) return { users }
  users[Symbol.dispose]()
  return { problem }
}

/** Returns `users_file` of the configuration; null where it is not set or the configuration cannot be read. */
function configuredUsersFile(home: string): string | null {
  try {
    return readEffectiveConfig({ home, isWhole: true }).values.users_file ?? null
  } catch (error) {
    // Each request reports the fault of the configuration.
    if (error instanceof ConfigError) return null
    throw error
  }
}
