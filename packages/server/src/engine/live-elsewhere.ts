import { isRunning, type Owner } from '@parley/journal'
import { connectSocket, type RpcError } from '@parley/rpc'
import { shortIdOf } from './open-conversation.ts'
import { rejection } from './refusal.ts'

const answerLimitMs = 500

/**
 * The error for a conversation that another process has open. Its word about itself is a hint: one of a dead process says nothing of
 * the holder, and a socket is offered only if somebody listens there.
 */
export async function liveElsewhere(conversationId: string, owner: Owner | null): Promise<RpcError> {
  const holder = owner !== null && isRunning(owner) ? owner : null
  const socket = holder?.socket != null && (await listens(holder.socket)) ? holder.socket : null
  const where = holder === null ? 'another process' : `process ${holder.pid}`
  const join = `Join it there (parley attach ${shortIdOf(conversationId)}), view it`
  const next = `${socket === null ? 'View it' : join} read-only, or fork it.`
  return rejection('liveElsewhere', `Conversation ${conversationId} is open in ${where}. ${next}`, {
    conversationId,
    socket,
    ...(holder === null ? {} : { pid: holder.pid }),
  })
}

async function listens(socket: string): Promise<boolean> {
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(expired.resolve, answerLimitMs, null)
  const reached = connectSocket(socket).catch(() => null)
  const transport = await Promise.race([reached, expired.promise])
  clearTimeout(timer)
  void reached.then((late) => late?.close())
  return transport !== null
}
