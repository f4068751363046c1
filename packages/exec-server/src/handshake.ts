import type { ExecResultOf, People } from '@parley/protocol/exec'
import { type CallContext, ConnectionClosedError } from '@parley/rpc'
import type { Epochs } from './epochs.ts'
import type { ExecSession } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { SpokenLink } from './wire/client-link.ts'
import { type ExecHandlers, handshakeErrors } from './wire/requests.ts'

/** State of one connection's handshake. */
export interface Handshake {
  /** Session of the connection. Throws unless `initialize` and `initialized` have both arrived. */
  readonly session: ExecSession
  /** Session of the connection; null before `initialize`. */
  readonly opened: ExecSession | null
  assertNew(): void
  /** Marks `initialize` as running: `initialized` may arrive before its reply. */
  begin(): void
  /** Allows another `initialize` after a failed one. */
  failed(): void
  answered(session: ExecSession): void
  /** Records `initialized`. Returns false before `initialize`; a repeated one has no effect. */
  confirmed(): boolean
}

export function createHandshake(): Handshake {
  let session: ExecSession | null = null
  let hasBegun = false
  let isConfirmed = false
  return {
    get session() {
      if (session === null) throw handshakeErrors.notInitialized()
      if (!isConfirmed) throw handshakeErrors.notConfirmed()
      return session
    },
    get opened() {
      return session
    },
    assertNew() {
      if (hasBegun) throw handshakeErrors.initializedTwice()
    },
    begin() {
      hasBegun = true
    },
    failed() {
      hasBegun = false
      isConfirmed = false
    },
    answered(opened) {
      hasBegun = true
      session = opened
    },
    confirmed() {
      isConfirmed = hasBegun
      return isConfirmed
    },
  }
}

export type EnvironmentInfo = ExecResultOf<'environment/info'>

export interface InitializeParts {
  readonly handshake: Handshake
  readonly link: SpokenLink
  readonly sessions: Sessions
  readonly epochs: Epochs
  readonly environmentInfo: () => Promise<EnvironmentInfo>
  readonly assertServed?: AssertServed
  readonly onClient: () => void
}

/** Throws where this machine does not work for the people of a connection. */
export type AssertServed = (people: People | undefined) => void

export function createInitialize(parts: InitializeParts): ExecHandlers['initialize'] {
  const { link, sessions, epochs } = parts
  return ({ resumeSessionId, fence, people }, context) => {
    parts.onClient()
    parts.assertServed?.(people)
    const attach = () => {
      const isNew = resumeSessionId === null || resumeSessionId === undefined
      if (fence !== undefined) return sessions.openFor(fence, isNew ? null : resumeSessionId, link)
      return isNew ? sessions.open(link) : sessions.resume(resumeSessionId, link)
    }
    const session = fence === undefined ? attach() : epochs.enter(fence).then(attach)
    return session instanceof Promise ? answerLater(session, parts, context) : answer(session, parts, context)
  }
}

/** Attaches the session at once; only the reply may wait until the sandbox of this machine is known. */
async function answer(
  session: ExecSession,
  parts: InitializeParts,
  context: CallContext,
): Promise<ExecResultOf<'initialize'>> {
  const { handshake, link, environmentInfo } = parts
  handshake.answered(session)
  // The notifications of its processes must follow the reply.
  context.afterReply(() => session.setLink(link))
  const processes = session.fence === null ? {} : { processes: session.processes }
  const answered = { protocolVersion: 'exec-server.v0', sessionId: session.id, ...processes } as const
  return { ...answered, environmentInfo: await environmentInfo() }
}

/** Waits until the connection that held the session has been checked, then replies. */
async function answerLater(coming: Promise<ExecSession>, parts: InitializeParts, context: CallContext) {
  const { handshake, link, sessions } = parts
  handshake.begin()
  try {
    const session = await coming
    if (!context.signal.aborted) return await answer(session, parts, context)
    await sessions.leave(session, link)
    throw new ConnectionClosedError({ code: 'ended' })
  } catch (error) {
    handshake.failed()
    throw error
  }
}

/** Returns the check of whom a connection is for: the owner of the machine, and users whom the owner has named. */
export function servedUsers(named: readonly string[] | null): AssertServed {
  return (people) => {
    const { owner, users = [] } = people ?? {}
    if (named !== null && (owner === undefined || users.length === 0)) throw handshakeErrors.usersUnknown()
    const stranger = users.find((user) => user !== owner && !(named ?? []).includes(user))
    if (stranger !== undefined) throw handshakeErrors.notServed(stranger)
  }
}
