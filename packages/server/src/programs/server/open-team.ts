import { ConfigError, readEffectiveConfig } from '@parley/config'
import { createMetrics, type EngineParts, type Metrics } from '@parley/engine'
import type { SharedStore } from '@parley/engine/shared-store'
import { noStoreExitCode } from '@parley/protocol'
import type { ServerUsers } from '@parley/team/people'
import type { ServerArguments } from '../arguments.ts'
import { openSharedStore, warningsOf } from '../shared-store.ts'
import { type Reports, waitForStore } from './wait-for-store.ts'

/** Exit code when an address cannot be listened on, or the users cannot be read. */
export const cannotListenExitCode = 1

const pageNeedsUsers =
  '--page is for a server with users, who sign in with their tokens: add --users FILE. For a page of your own: parley web.'

export interface TeamOfServer {
  /** Store of the conversations; null for conversations on this machine only. */
  readonly store: SharedStore | null
  /** Users of the server; null where every client may do everything. */
  readonly users: ServerUsers | null
  readonly metrics: Metrics | undefined
}

/** Opens the store and the users of a server. */
export async function openTeam(
  args: ServerArguments,
  { machine: { home }, files, redaction }: Pick<EngineParts, 'machine' | 'files' | 'redaction'>,
  { writeLog, logEvent }: Reports,
): Promise<TeamOfServer | { readonly problem: string; readonly exitCode: number }> {
  const metrics = args.metrics ? createMetrics() : undefined
  const people = await openUsersOfServer(args.users, args.role === 'service', { home, writeLog, logEvent })
  if ('problem' in people) return { ...people, exitCode: cannotListenExitCode }
  if (args.page && people.users === null) return { problem: pageNeedsUsers, exitCode: cannotListenExitCode }
  await using wait = waitForStore(args, { writeLog, logEvent })
  const warn = args.logsJson ? writeLog : warningsOf('server')
  const onPublished = metrics?.published
  const opened = await openSharedStore(args.store, { home, files, redaction, warn, wait, onPublished })
  if (!('problem' in opened)) return { store: opened.store, users: people.users, metrics }
  people.users?.[Symbol.dispose]()
  return { problem: opened.problem, exitCode: noStoreExitCode }
}

/**
 * Opens the users of `--users` or of `users_file` in the configuration; null where neither names a file. `isStrict` makes
 * a file that cannot be used a problem: no user could connect.
 */
export async function openUsersOfServer(
  given: string | null,
  isStrict: boolean,
  { home, writeLog, logEvent }: Reports & Pick<EngineParts['machine'], 'home'>,
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
