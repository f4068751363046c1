import type { LogEvent } from '@parley/engine'
import { refuseClients } from '@parley/serving'
import type { OpeningWait } from '@parley/team/store'
import type { ServerArguments } from '../arguments.ts'
import { shortWait } from '../shared-store.ts'

export interface Reports {
  readonly writeLog: (line: string) => void
  /** Logs events in place of sentences on stderr. */
  readonly logEvent?: LogEvent | undefined
}

/** Returns the functions that report on stderr, or in the log as JSON, that a store is away or back. `isNew` is false for a further sentence. */
export function storeReports({ writeLog, logEvent }: Reports) {
  const say = (event: 'store.away' | 'store.back', sentence: string, isNew: boolean) => {
    writeLog(sentence)
    if (logEvent === undefined) process.stderr.write(`parley server: ${sentence}\n`)
    else if (isNew) logEvent({ event })
  }
  return {
    away: (sentence: string, isNew = true) => say('store.away', sentence, isNew),
    back: (sentence: string) => say('store.back', sentence, true),
  }
}

/**
 * Returns how a server waits for its store. One that listens waits as long as it takes, says so once and turns clients
 * away meanwhile; one that a window or a command has started gives up in the end.
 */
export function waitForStore(
  { role, isDaemon, listen, tls }: ServerArguments,
  { writeLog, logEvent }: Reports,
): OpeningWait & AsyncDisposable {
  if (role !== 'service' || isDaemon) return { ...shortWait('server'), [Symbol.asyncDispose]: async () => undefined }
  const { away, back } = storeReports({ writeLog, logEvent })
  let refusals: ReturnType<typeof refuseClients>[] | null = null
  return {
    isPatient: true,
    onAway(problem) {
      away(`${problem} Waiting for it; no client is served until then.`, refusals === null)
      refusals ??= listen.map((address) => refuseClients(address, tls))
    },
    async [Symbol.asyncDispose]() {
      if (refusals === null) return
      back('The store answers.')
      for (const refusal of await Promise.all(refusals)) await refusal?.close()
    },
  }
}
