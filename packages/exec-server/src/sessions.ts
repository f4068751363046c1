import type { Host } from '@parley/host'
import type { Fence } from '@parley/protocol/exec'
import { type RetentionLimits, retentionLimits } from './output/retained-output.ts'
import { ExecSession } from './session.ts'
import type { ClientLink } from './wire/client-link.ts'
import { handshakeErrors } from './wire/requests.ts'

/** Sessions of one exec-server, including sessions without a connection for a while. */
export interface Sessions {
  /** Creates a session that belongs to this connection. */
  open(link: ClientLink): ExecSession
  /**
   * Moves a session to this connection. Throws `unknownSession`, and `sessionInUse` while another live connection
   * holds it.
   */
  resume(id: string, link: ClientLink): ExecSession | Promise<ExecSession>
  /**
   * Attaches the session of a conversation; makes it when it is missing. A later epoch takes it from the connection of
   * an earlier one. `id` resumes exactly that session. Throws as `resume` does.
   */
  openFor(fence: Fence, id: string | null, link: ClientLink): ExecSession | Promise<ExecSession>
  /** Releases the session. Unless another connection holds it by now, it ends after `lingerMs`, or later where it is of a conversation. */
  leave(session: ExecSession, link: ClientLink): Promise<void>
  close(): Promise<void>
}

export interface SessionsOptions {
  readonly host: Host
  /** Time that a session waits to be resumed; 0 ends it at once. */
  readonly lingerMs: number
  /** The same for the session of a conversation, which another server may take over; default 5 minutes. */
  readonly conversationLingerMs?: number
  readonly retention?: RetentionLimits
  /**
   * Time limit for the holder's ping reply when another connection wants the session, since its network may be lost.
   */
  readonly answersWithinMs?: number
}

export function createSessions(options: SessionsOptions): Sessions {
  const { host, lingerMs, retention = retentionLimits, answersWithinMs = 2000 } = options
  const { conversationLingerMs = 300_000 } = options
  const sessions = new Map<string, ExecSession>()
  const holders = new Map<string, ClientLink>()
  const lingering = createTimers()
  const end = async (session: ExecSession) => {
    lingering.stop(session.id)
    sessions.delete(session.id)
    await session.end()
  }
  const ofConversation = ({ conversation }: Fence) =>
    [...sessions.values()].find(({ fence }) => fence?.conversation === conversation)
  const known = (id: string) => {
    const session = sessions.get(id)
    if (session === undefined) throw handshakeErrors.unknownSession(id)
    return session
  }
  const take = (session: ExecSession, link: ClientLink) => {
    holders.set(session.id, link)
    lingering.stop(session.id)
    return session
  }
  const open = (link: ClientLink, fence: Fence | null) => {
    const session = new ExecSession(host, retention, fence)
    sessions.set(session.id, session)
    holders.set(session.id, link)
    return session
  }
  const resume = (id: string, link: ClientLink) => {
    const session = known(id)
    const holder = holders.get(id)
    return holder === undefined ? take(session, link) : takeOver(session, holder, link)
  }
  /** Takes a session from the connection of an earlier epoch, alive or not. */
  const takeFrom = (session: ExecSession, fence: Fence, link: ClientLink) => {
    const holder = holders.get(session.id)
    session.passTo(fence)
    void holder?.close()
    return take(session, link)
  }
  const takeOver = async ({ id }: ExecSession, holder: ClientLink, link: ClientLink) => {
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
    open: (link) => open(link, null),
    resume,
    openFor(fence, id, link) {
      const session = id === null ? ofConversation(fence) : known(id)
      if (session === undefined) return open(link, fence)
      return (session.fence?.epoch ?? 0) < fence.epoch ? takeFrom(session, fence, link) : resume(session.id, link)
    },
    async leave(session, link) {
      const { id } = session
      if (holders.get(id) !== link) return
      holders.delete(id)
      session.setLink(null)
      if (session.isEnded) return
      const waitMs = session.fence === null || lingerMs === 0 ? lingerMs : conversationLingerMs
      if (waitMs === 0) await end(session)
      else lingering.start(id, waitMs, () => void end(session))
    },
    async close() {
      await Promise.all([...sessions.values()].map(end))
    },
  }
}

function createTimers() {
  const timers = new Map<string, NodeJS.Timeout>()
  const stop = (name: string) => {
    clearTimeout(timers.get(name))
    timers.delete(name)
  }
  return {
    stop,
    start: (name: string, ms: number, act: () => void) => void timers.set(name, setTimeout(act, ms)),
  }
}
