import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { appendUnlocked } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'

const maxBytes = 1 << 20

/** The server's own log, for faults: never its stdout, which is the protocol's. Capped; the previous one is kept. */
export function openServerLog(home: string, redact: (text: string) => string): { write(line: string): void } {
  const folder = join(home, 'logs')
  const path = join(folder, 'server.log')
  return {
    write(line) {
      try {
        makeFolders(nodeFiles, folder)
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`)
        appendUnlocked(path, `${new Date().toISOString()} ${process.pid} ${redact(line)}\n`)
      } catch {
        // A log that cannot be written must not take the conversation down with it.
      }
    },
  }
}
