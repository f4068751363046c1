import type { ProgressToken } from '@modelcontextprotocol/server'
import type { EventMsg } from '../../../codex-events/event-msg.ts'
import { progressNote } from '../../../codex-events/progress-note.ts'

/** Clients that give up on a silent call wait on while they hear of it. */
const heartbeatMs = 10_000

export interface Progress {
  note(message: EventMsg): void
  stop(): void
}

type Notify = (method: 'notifications/progress', params: Record<string, unknown>) => void

/** What MCP calls progress: a growing number and a line, for a client that asked for it, also while nothing happens. */
export function createProgress(token: ProgressToken | undefined, notify: Notify, everyMs = heartbeatMs): Progress {
  if (token === undefined) return { note: () => undefined, stop: () => undefined }
  let progress = 0
  let line = 'Working'
  const tell = () => {
    progress += 1
    notify('notifications/progress', { progressToken: token, progress, message: line })
  }
  const heartbeat = setInterval(tell, everyMs).unref()
  return {
    note(message) {
      const note = progressNote(message)
      if (note === null) return
      line = note
      heartbeat.refresh()
      tell()
    },
    stop: () => clearInterval(heartbeat),
  }
}
