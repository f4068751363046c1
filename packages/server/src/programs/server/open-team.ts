import { createMetrics, type EngineParts, type Metrics } from '@parley/engine'
import type { SharedStore } from '@parley/engine/shared-store'
import { noStoreExitCode } from '@parley/protocol'
import type { ServerUsers } from '@parley/team/people'
import type { ServerArguments } from '../arguments.ts'
import { openSharedStore, warningsOf } from '../shared-store.ts'
import { openUsersOfServer } from '../users-of-server.ts'
import { type Reports, waitForStore } from './wait-for-store.ts'

/** Exit code when an address cannot be listened on, or the users cannot be read. */
export const cannotListenExitCode = 1

const pageNeedsUsers =
  '--page is for a server with users, who sign in with their tokens: add --users FILE. For a page of your own: parley web.'

interface TeamOfServer {
  /** Store of the conversations; null for conversations on this machine only. */
  readonly store: SharedStore | null
  /** Users of the server; null where every client may do everything. */
  readonly users: ServerUsers | null
  readonly metrics: Metrics | undefined
}

/** Opens the store and the users of a server. */
export async function openTeam(
  args: ServerArguments,
  { home, files, redaction }: Pick<EngineParts, 'home' | 'files' | 'redaction'>,
  { writeLog, logEvent }: Reports,
): Promise<TeamOfServer | { readonly problem: string; readonly exitCode: number }> {
  const metrics = args.metrics ? createMetrics() : undefined
  const people = await openUsersOfServer(args.users, { home, writeLog, logEvent, isStrict: args.role === 'service' })
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
