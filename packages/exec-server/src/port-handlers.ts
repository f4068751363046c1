import type { ExecMethodName } from '@parley/protocol/exec'
import { sendInOrder } from './ports/send-in-order.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { ExecSession } from './session.ts'
import type { ClientLink } from './wire/client-link.ts'
import type { ExecHandlers } from './wire/requests.ts'

type PortHandlers = Pick<ExecHandlers, Extract<ExecMethodName, `port/${string}`>>

/** Time limit for bytes to wait for their turn. After it the answer is empty, and the client asks again. */
const turnMs = 10_000

/** Serves connections to ports in the loopbacks of the session, where the owner of the machine allows it. */
export function createPortHandlers(
  session: () => ExecSession,
  enforcer: Pick<PolicyEnforcer, 'assertPorts'>,
  link: Pick<ClientLink, 'drained'>,
): PortHandlers {
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
