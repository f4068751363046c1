import type { LogEvent } from '../../engine/index.ts'
import { turnAway } from '../../serving/turn-away.ts'
import type { ServerArguments } from '../arguments.ts'

/** Wait for a store that cannot be opened yet. */
interface StoreWait extends AsyncDisposable {
  /** Says why, and turns clients away from the first time on. */
  readonly onAway: (problem: string) => void
}

interface Reports {
  readonly writeLog: (line: string) => void
  /** Takes what is said, in place of sentences on stderr. */
  readonly logEvent?: LogEvent | undefined
}

/** Returns how a server that listens waits for its store, as long as it takes; null for one that a window waits for. */
export function waitForStore(
  { role, isDaemon, listen, tls }: ServerArguments,
  { writeLog, logEvent }: Reports,
): StoreWait | null {
  if (role !== 'service' || isDaemon) return null
  let doors: ReturnType<typeof turnAway>[] | null = null
  return {
    onAway(problem) {
      writeLog(problem)
      if (logEvent !== undefined) logEvent({ event: 'store.away' })
      else process.stderr.write(`parley server: ${problem} It waits for the store, and serves no client until then.\n`)
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
