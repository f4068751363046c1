import { openHost } from '@parley/host'
import { createMemoryTransportPair, type StreamLimits } from '@parley/rpc'
import { descendantsWithMark, killMarked, markVariable, newMark, waitUntil } from '@parley/testkit'
import { describeEnvironment } from '../../../../src/faces/exec/describe-environment.ts'
import { serveExec } from '../../../../src/faces/exec/serve-exec.ts'
import { createSessions, type SessionsOptions } from '../../../../src/faces/exec/sessions.ts'
import { connectClient, type ExecClient } from './exec-client.ts'

/** The whole face and real processes in this one; only the connection is in memory. */
export interface ExecPlace extends AsyncDisposable {
  connect(limits?: Partial<StreamLimits>): ExecClient
  /** One that is through the handshake. */
  greeted(): Promise<ExecClient>
  readonly env: Readonly<Record<string, string>>
  descendants(): number[]
  noDescendants(): Promise<unknown>
}

export function execPlace(options: Partial<SessionsOptions> = {}): ExecPlace {
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: 30_000, ...options })
  const mark = newMark()
  const faults: unknown[] = []
  const face = {
    sessions,
    environmentInfo: describeEnvironment('0.0.0'),
    report: (fault: unknown) => void faults.push(fault),
  }
  const env = { [markVariable]: mark }
  const connect = (limits = {}) => {
    const [ours, theirs] = createMemoryTransportPair(limits)
    void serveExec(theirs, face)
    return connectClient(ours, env)
  }
  const descendants = () => descendantsWithMark(mark)
  return {
    connect,
    env,
    descendants,
    noDescendants: () => waitUntil(() => descendants().length === 0, { what: 'the end of all processes' }),
    async greeted() {
      const client = connect()
      await client.greet()
      return client
    },
    async [Symbol.asyncDispose]() {
      await sessions.close()
      await host.close()
      killMarked(mark)
    },
  }
}
