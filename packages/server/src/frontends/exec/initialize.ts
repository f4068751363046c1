import type { ExecResultOf } from '@parley/protocol/exec'
import { type CallContext, ConnectionClosedError } from '@parley/rpc'
import type { ExecHandlers, HandlerParts } from './handlers.ts'
import type { ExecSession } from './session.ts'

export function createInitialize(parts: HandlerParts): ExecHandlers['initialize'] {
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
  parts: HandlerParts,
  context: CallContext,
): Promise<ExecResultOf<'initialize'>> {
  const { handshake, link, environmentInfo } = parts
  handshake.answered(session)
  // Its processes may have much to say, none of which may come before the answer.
  context.afterReply(() => session.setLink(link))
  return { protocolVersion: 'exec-server.v0', sessionId: session.id, environmentInfo: await environmentInfo() }
}

/** The connection that held the session is asked whether it lives. */
async function answerLater(coming: Promise<ExecSession>, parts: HandlerParts, context: CallContext) {
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
