import type { OpeningWait } from '@parley/store'
import type { LogEvent } from '../../engine/index.ts'
import { turnAway } from '../../serving/turn-away.ts'
import type { ServerArguments } from '../arguments.ts'
import { shortWait } from '../shared-store.ts'

/** Wait for a store that cannot be opened yet. */
type StoreWait = OpeningWait & AsyncDisposable

interface Reports {
  readonly writeLog: (line: string) => void
  /** Takes what is said, in place of sentences on stderr. */
  readonly logEvent?: LogEvent | undefined
}

/**
 * Returns how a server waits for its store. One that listens waits as long as it takes, says so once and turns clients
 * away meanwhile; one that a window or a command has started gives up in the end.
 */
export function waitForStore(
  { role, isDaemon, listen, tls }: ServerArguments,
  { writeLog, logEvent }: Reports,
): StoreWait {
  if (role !== 'service' || isDaemon) return { ...shortWait('server'), [Symbol.asyncDispose]: async () => undefined }
  let doors: ReturnType<typeof turnAway>[] | null = null
  return {
    isPatient: true,
    onAway(problem) {
      writeLog(problem)
      if (logEvent === undefined)
        process.stderr.write(`parley server: ${problem} Waiting for it; no client is served until then.\n`)
      else if (doors === null) logEvent({ event: 'store.away' })
      doors ??= listen.map((address) => turnAway(address, tls))
    },
    async [Symbol.asyncDispose]() {
      if (doors === null) return
      if (logEvent !== undefined) logEvent({ event: 'store.back' })
      else process.stderr.write('parley server: The store answers.\n')
      for (const door of await Promise.all(doors)) await door?.close()
    },
  }
}
