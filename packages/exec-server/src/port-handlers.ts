import type { ExecMethodName } from '@parley/protocol/exec'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { ExecSession } from './session.ts'
import type { ClientLink } from './wire/client-link.ts'
import type { ExecHandlers } from './wire/requests.ts'
import type { WaitLimit } from './wire/waiters.ts'

/** Time limit for bytes to wait for their turn. After it the answer is empty, and the client asks again. */
const turnMs = 10_000

/** Serves connections to ports in the loopbacks of the session, where the owner of the machine allows it. */
export function createPortHandlers(
  session: () => ExecSession,
  enforcer: Pick<PolicyEnforcer, 'assertPorts'>,
  link: Pick<ClientLink, 'drained'>,
): Pick<ExecHandlers, Extract<ExecMethodName, `port/${string}`>> {
  const turn = sendInOrder(link)
  return {
    async 'port/connect'({ connectionId, sharedLoopback: loopback, port }) {
      enforcer.assertPorts()
      await session().ports.connect(connectionId, { loopback, port })
      return {}
    },
    async 'port/read'({ connectionId, afterByte, waitMs }, { signal }) {
      const connection = await session().ports.connection(connectionId)
      const { bytes, ended } = await connection.read(afterByte, { waitMs, signal })
      if (bytes.length > 0 && !(await turn({ waitMs: turnMs, signal }))) return { chunk: '', ended: false }
      return { chunk: bytes.toString('base64'), ended }
    },
    async 'port/write'({ connectionId, afterByte, chunk, end, waitMs }, { signal }) {
      const connection = await session().ports.connection(connectionId)
      const bytes = Buffer.from(chunk, 'base64')
      return { writtenBytes: await connection.write(afterByte, { bytes, end }, { waitMs, signal }) }
    },
    'port/close': ({ connectionId }) => ({ closed: session().ports.close(connectionId) }),
  }
}

/**
 * Creates turns, one after the other, each once the client has taken the earlier answer: all answers at once would be
 * 16 MiB, ahead of the output of processes. Resolves to false when the time limit passes first.
 */
export function sendInOrder({ drained }: Pick<ClientLink, 'drained'>): (limit: WaitLimit) => Promise<boolean> {
  let last = Promise.resolve()
  return async ({ waitMs, signal }) => {
    let isOver = false
    const turn = last.then(async () => {
      if (isOver) return
      await drained()
      // The answer before this one is sent in between.
      await new Promise<void>((resolve) => setImmediate(resolve))
    })
    last = turn
    const over = Promise.withResolvers<false>()
    const end = () => over.resolve(false)
    const timer = setTimeout(end, waitMs)
    signal.addEventListener('abort', end, { once: true })
    const isMine = await Promise.race([turn.then(() => true), over.promise])
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    return isMine
  }
}
