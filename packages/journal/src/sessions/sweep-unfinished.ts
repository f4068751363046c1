import { join } from 'node:path'
import { type FolderEntries, quietly } from '../disk/files.ts'
import { isConversationId, namesIn, newestDays, sessionPaths } from '../disk/session-paths.ts'
import { removeSession } from './delete-session.ts'

/** Number of days to sweep, the newest: new logs lie in the folder of their day, and each start sweeps. */
const sweptDays = 8
/** Time without a write after which a file counts as abandoned, in ms. */
const abandonedAfterMs = 60 * 60 * 1000

/**
 * Removes logs that a killed fork or import had not finished, with what lay ready beside them, and other files without
 * their names yet. Returns how many. A failure leaves a file for the next time.
 */
export function sweepUnfinished(files: FolderEntries, home: string, nowMs: number): number {
  let swept = 0
  for (const folder of newestDays(files, home, sweptDays))
    for (const name of namesIn(files, folder)) if (isSwept(files, { home, folder, name }, nowMs)) swept++
  return swept
}

/** Name of a file that did not get its own yet, as `temporaryBeside` makes them. */
const unfinished = /^(?<id>[0-9a-f-]{36})\.(?<kind>jsonl|checkpoint|owner\.json)\.[0-9a-f]{12}\.tmp$/

function isSwept(
  files: FolderEntries,
  { home, folder, name }: { readonly home: string; readonly folder: string; readonly name: string },
  nowMs: number,
): boolean {
  const { id, kind } = unfinished.exec(name)?.groups ?? {}
  if (id === undefined || !isConversationId(id)) return false
  const path = join(folder, name)
  const isRemoved = quietly(() => {
    const facts = files.look(path)
    if (facts?.kind !== 'file' || nowMs - facts.modifiedAtMs < abandonedAfterMs) return false
    const paths = sessionPaths(home, id)
    // Side files come before their log; without one nothing names them.
    if (kind === 'jsonl' && paths !== null && files.look(paths.log) === null) removeSession(files, paths)
    files.remove(path)
    return true
  })
  return isRemoved === true
}
