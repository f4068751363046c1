import type { Host } from '@parley/host'
import type { Link } from './link.ts'
import { type RetentionLimits, retentionLimits } from './output/retained-output.ts'
import { handshakeErrors } from './requests.ts'
import { ExecSession } from './session.ts'

/** Sessions of one exec-server, including those whose connection is lost for a while. */
export interface Sessions {
  /** Creates a session that belongs to this connection. */
  open(link: Link): ExecSession
  /**
   * Moves a session to this connection. Throws `unknownSession`, and `sessionInUse` while another live connection
   * holds it.
   */
  resume(id: string, link: Link): ExecSession | Promise<ExecSession>
  /** Releases the session. Unless another connection holds it by now, it ends after `lingerMs`. */
  leave(session: ExecSession, link: Link): Promise<void>
  close(): Promise<void>
}

export interface SessionsOptions {
  readonly host: Host
  /** Time that a session waits to be resumed; 0 ends it at once. */
  readonly lingerMs: number
  readonly retention?: RetentionLimits
  /**
   * Time limit for the holder's ping reply when another connection wants the session, since its network may be lost.
   */
  readonly answersWithinMs?: number
}

export function createSessions(options: SessionsOptions): Sessions {
  const { host, lingerMs, retention = retentionLimits, answersWithinMs = 2000 } = options
  const sessions = new Map<string, ExecSession>()
  const holders = new Map<string, Link>()
  const lingering = new Map<string, NodeJS.Timeout>()
  const stopLingering = (id: string) => {
    clearTimeout(lingering.get(id))
    lingering.delete(id)
  }
  const end = async (session: ExecSession) => {
    stopLingering(session.id)
    sessions.delete(session.id)
    await session.end()
  }
  const known = (id: string) => {
    const session = sessions.get(id)
    if (session === undefined) throw handshakeErrors.unknownSession(id)
    return session
  }
  const take = (session: ExecSession, link: Link) => {
    holders.set(session.id, link)
    stopLingering(session.id)
    return session
  }
  const takeOver = async ({ id }: ExecSession, holder: Link, link: Link) => {
    const isAlive = await holder.answers(answersWithinMs)
    // Meanwhile it may have ended, or another connection may have taken it.
    const session = known(id)
    if (isAlive || (holders.get(id) ?? holder) !== holder) throw handshakeErrors.sessionInUse(id)
    session.setLink(null)
    take(session, link)
    void holder.close()
    return session
  }
  return {
    open(link) {
      const session = new ExecSession(host, retention)
      sessions.set(session.id, session)
      holders.set(session.id, link)
      return session
    },
    resume(id, link) {
      const session = known(id)
      const holder = holders.get(id)
      return holder === undefined ? take(session, link) : takeOver(session, holder, link)
    },
    async leave(session, link) {
      const { id } = session
      if (holders.get(id) !== link) return
      holders.delete(id)
      session.setLink(null)
      if (session.isEnded) return
      if (lingerMs === 0) await end(session)
      else
        lingering.set(
          id,
          setTimeout(() => void end(session), lingerMs),
        )
    },
    async close() {
      await Promise.all([...sessions.values()].map(end))
    },
  }
}
