import type { Host } from '@parley/host'
import { handshakeErrors } from './exec-errors.ts'
import type { Link } from './link.ts'
import { type RetentionLimits, retentionLimits } from './output/retained-output.ts'
import { ExecSession } from './session.ts'

/** All clients of one exec-server, those included whose connection is lost for a moment. */
export interface Sessions {
  /** A new one. */
  open(): ExecSession
  /** Throws unless it is there and nobody is connected to it. */
  resume(id: string): ExecSession
  /** The connection has gone. The session ends after a while, unless it is resumed. */
  leave(session: ExecSession, link: Link): Promise<void>
  close(): Promise<void>
}

export interface SessionsOptions {
  readonly host: Host
  /** How long a session waits for its client to come back; 0: not at all. */
  readonly lingerMs: number
  readonly retention?: RetentionLimits
}

export function createSessions({ host, lingerMs, retention = retentionLimits }: SessionsOptions): Sessions {
  const sessions = new Map<string, ExecSession>()
  const lingering = new Map<string, NodeJS.Timeout>()
  const end = async (session: ExecSession) => {
    clearTimeout(lingering.get(session.id))
    lingering.delete(session.id)
    sessions.delete(session.id)
    await session.end()
  }
  return {
    open() {
      const session = new ExecSession(host, retention)
      sessions.set(session.id, session)
      return session
    },
    resume(id) {
      const session = sessions.get(id)
      if (session === undefined) throw handshakeErrors.unknownSession(id)
      if (!lingering.has(id)) throw handshakeErrors.sessionInUse(id)
      clearTimeout(lingering.get(id))
      lingering.delete(id)
      return session
    },
    async leave(session, link) {
      if (session.link === link) session.setLink(null)
      if (lingerMs === 0) await end(session)
      else
        lingering.set(
          session.id,
          setTimeout(() => void end(session), lingerMs),
        )
    },
    async close() {
      await Promise.all([...sessions.values()].map(end))
    },
  }
}
