import type { ExecResultOf } from '@parley/protocol/exec'
import { type CallContext, ConnectionClosedError } from '@parley/rpc'
import { handshakeErrors } from './exec-errors.ts'
import type { SpokenLink } from './link.ts'
import type { ExecHandlers } from './params.ts'
import type { ExecSession } from './session.ts'
import type { Sessions } from './sessions.ts'

/** Where one connection stands. */
export interface Handshake {
  /** Throws unless both steps are done. */
  readonly session: ExecSession
  /** Null before `initialize`. */
  readonly opened: ExecSession | null
  assertNew(): void
  /** It takes a while: what confirms it may come before the answer. */
  begin(): void
  /** `begin` came to nothing; the client may try again. */
  refused(): void
  answered(session: ExecSession): void
  /** True when it came in its time; a further one says nothing new and does no harm. */
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
    refused() {
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
  readonly environmentInfo: () => Promise<EnvironmentInfo>
}

export function createInitialize(parts: InitializeParts): ExecHandlers['initialize'] {
  const { link, sessions } = parts
  return ({ resumeSessionId }, context) => {
    const isNew = resumeSessionId === null || resumeSessionId === undefined
    const session = isNew ? sessions.open(link) : sessions.resume(resumeSessionId, link)
    return session instanceof Promise ? answerLater(session, parts, context) : answer(session, parts, context)
  }
}

/** The session is there from now on; only the answer may have to wait until it is known what confines processes here. */
async function answer(
  session: ExecSession,
  parts: InitializeParts,
  context: CallContext,
): Promise<ExecResultOf<'initialize'>> {
  const { handshake, link, environmentInfo } = parts
  handshake.answered(session)
  // Its processes may have much to say, none of which may come before the answer.
  context.afterReply(() => session.setLink(link))
  return { protocolVersion: 'exec-server.v0', sessionId: session.id, environmentInfo: await environmentInfo() }
}

/** The connection that held the session is asked whether it lives. */
async function answerLater(coming: Promise<ExecSession>, parts: InitializeParts, context: CallContext) {
  const { handshake, link, sessions } = parts
  handshake.begin()
  try {
    const session = await coming
    if (!context.signal.aborted) return await answer(session, parts, context)
    await sessions.leave(session, link)
    throw new ConnectionClosedError({ code: 'ended' })
  } catch (error) {
    handshake.refused()
    throw error
  }
}
