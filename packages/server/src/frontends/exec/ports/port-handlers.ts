import type { ExecMethodName } from '@parley/protocol/exec'
import type { Link } from '../link.ts'
import type { ExecHandlers } from '../requests.ts'
import type { PolicyEnforcer } from '../sandbox/enforce-policy.ts'
import type { ExecSession } from '../session.ts'

type PortHandlers = Pick<ExecHandlers, Extract<ExecMethodName, `port/${string}`>>

/** Serves connections to ports in the loopbacks of the session, where the owner of the machine allows it. */
export function createPortHandlers(
  session: () => ExecSession,
  enforcer: Pick<PolicyEnforcer, 'assertPorts'>,
  link: Pick<Link, 'drained'>,
): PortHandlers {
  const untilRoom = oneByOne(link)
  return {
    async 'port/connect'({ connectionId, sharedLoopback: loopback, port }) {
      enforcer.assertPorts()
      await session().ports.connect(connectionId, { loopback, port })
      return {}
    },
    async 'port/read'({ connectionId, afterByte, waitMs }, { signal }) {
      const connection = await session().ports.connection(connectionId)
      const { bytes, ended } = await connection.read(afterByte, { waitMs, signal })
      await untilRoom()
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
 * Returns a wait until the client has taken what was sent, for one answer after the other: all at once they would be
 * 16 MiB, and what processes say would come after them.
 */
function oneByOne({ drained }: Pick<Link, 'drained'>): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(async () => {
      await drained()
      // The answer before this one is sent in between.
      await new Promise<void>((resolve) => setImmediate(resolve))
    })
    return last
  }
}
