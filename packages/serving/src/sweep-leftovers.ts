import { setTimeout as delay } from 'node:timers/promises'
import { abandonedFolders, type Host, hasAbandonedNotes, readableTmp, sweepOrphans, sweepReserved } from '@parley/host'
import { removeTree } from '@parley/workspace'
import { removeStaleSockets } from './run-folder.ts'

/** Limit of a sweep at the end of a program; the next program does the rest. */
const lastSweepMs = 300
/** Delay before leftovers of killed servers are removed, so that the start does not wait for it. */
const sweepAfterMs = 2000

interface Leftovers {
  readonly host: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  /** Folder of notes about the names that sandboxes reserve. */
  readonly notes: string
  /** Returns the socket of this server, which stays; null while its file is missing. */
  readonly socket: () => string | null
  /** Removes files of conversations after a killed server. */
  readonly sweepFolders?: () => Promise<void>
}

/**
 * Removes what killed processes left: a while after the start, or at the end of a program that runs for less. Returns the
 * function that the program calls at its end.
 */
export function sweepLater(writeLog: (line: string) => void, leftovers: Leftovers): () => Promise<void> {
  let swept: Promise<void> | null = null
  const { host } = leftovers
  const first = leftovers.socket()
  if (first !== null) host.removeWhenKilled(first)
  const timer = setTimeout(() => {
    host.startGuard()
    swept ??= sweep(writeLog, leftovers, 'always')
  }, sweepAfterMs).unref()
  return async () => {
    clearTimeout(timer)
    swept ??= sweep(writeLog, leftovers, 'afterTraces')
    await Promise.race([swept, delay(lastSweepMs, undefined, { ref: false })])
  }
}

/**
 * Removes all, whatever fails: each failure is a line of the log. To look at every process takes longest; `afterTraces`
 * does it where a killed process left something else.
 */
async function sweep(
  writeLog: (line: string) => void,
  { notes, socket, sweepFolders }: Leftovers,
  lookAtProcesses: 'always' | 'afterTraces',
): Promise<void> {
  const attempt = async <Result>(what: string, run: () => Result | Promise<Result>) => {
    try {
      return await run()
    } catch (error) {
      writeLog(`looking for ${what} failed: ${String(error)}`)
      return null
    }
  }
  const own = socket()
  const sockets = own === null ? 0 : await attempt('sockets', () => removeStaleSockets(own))
  const folders = [...abandonedFolders(), ...abandonedFolders(readableTmp), ...abandonedFolders(notes)]
  const hasTraces = sockets !== 0 || folders.length > 0 || hasAbandonedNotes(notes)
  // Before names are given free and folders removed, which processes could still use.
  const ended = lookAtProcesses === 'always' || hasTraces ? await attempt('orphans', () => sweepOrphans()) : 0
  if (ended !== null && ended > 0) writeLog(`ended ${ended} processes that a killed server left running`)
  await attempt('reserved names', () => sweepReserved(notes))
  for (const folder of folders) await attempt('temporary folders', () => removeTree(folder))
  await attempt('folders', async () => sweepFolders?.())
}
