import { ConfigError, readEffectiveConfig } from '@parley/config'
import { openUsers, type Users } from '../people/users.ts'
import { UsersFileError } from '../people/users-file.ts'

interface Ports {
  readonly home: string
  readonly writeLog: (line: string) => void
}

/** Opens the users of `--users` or of `users_file` in the configuration; null where there are none. */
export function openUsersOfServer(
  given: string | null,
  { home, writeLog }: Ports,
): { readonly users: Users | null } | { readonly problem: string } {
  const file = given ?? configuredUsersFile(home)
  if (file === null) return { users: null }
  const report = (sentence: string) => {
    writeLog(sentence)
    process.stderr.write(`parley: ${sentence}\n`)
  }
  try {
    return { users: openUsers(file, report) }
  } catch (error) {
    if (error instanceof UsersFileError) return { problem: error.message }
    throw error
  }
}

/** Returns `users_file` of the configuration; null where there is none, and where the configuration cannot be read. */
export function configuredUsersFile(home: string): string | null {
  try {
    return readEffectiveConfig({ home, isWhole: true }).values.users_file ?? null
  } catch (error) {
    // Each request says what is wrong with the configuration.
    if (error instanceof ConfigError) return null
    throw error
  }
}
