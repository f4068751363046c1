import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noSandboxes, openHost, type Sandboxes } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { createMemoryTransportPair, type StreamLimits, type Transport } from '@parley/rpc'
import { connectWebSocket, listenWebSocket } from '@parley/rpc/websocket'
import { descendantsWithMark, killMarked, markVariable, newMark, waitUntil } from '@parley/testkit'
import { openEpochs } from '../../src/epochs.ts'
import type { AssertServed } from '../../src/handshake.ts'
import { createPolicyEnforcer } from '../../src/sandbox/enforce-policy.ts'
import { type MachineCeiling, noCeiling } from '../../src/sandbox/machine-ceiling.ts'
import { describeEnvironment, serveExec } from '../../src/serve-exec.ts'
import { createSessions, type SessionsOptions } from '../../src/sessions.ts'
import { connectClient, type ExecClient } from './exec-client.ts'

/** The whole face and real processes in this one; only the connection is in memory. */
export interface ExecPlace extends AsyncDisposable {
  connect(limits?: Partial<StreamLimits>): ExecClient
  /** Over a real websocket. */
  dial(): Promise<ExecClient>
  /** Serves a connection that was made to somebody else. */
  serve(transport: Transport, onClient: () => void): Promise<unknown>
  /** Opens a connection and completes its handshake. */
  greeted(): Promise<ExecClient>
  readonly env: Readonly<Record<string, string>>
  descendants(): number[]
  noDescendants(): Promise<unknown>
}

export interface ExecPlaceOptions extends Partial<SessionsOptions> {
  readonly initializeTimeoutMs?: number
  /** Left out for none. */
  readonly sandboxes?: Sandboxes
  readonly secrets?: readonly string[]
  readonly platform?: string
  /** Left out for none. */
  readonly ceiling?: MachineCeiling
  /** Left out where it works for all. */
  readonly assertServed?: AssertServed
}

const untested = 'Tests have no sandbox.'

export function execPlace(given: ExecPlaceOptions = {}): ExecPlace {
  const {
    initializeTimeoutMs,
    sandboxes = noSandboxes(untested),
    secrets = [],
    platform = process.platform,
    assertServed,
    ceiling = noCeiling,
    ...options
  } = given
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: 30_000, ...options })
  const enforcer = createPolicyEnforcer({
    ...{ sandboxes, secrets: () => Promise.resolve(secrets) },
    ...{ home: '/nowhere', platform, ceiling },
  })
  const mark = newMark()
  const faults: unknown[] = []
  const folder = mkdtempSync(join(tmpdir(), 'parley-epochs-'))
  const face = {
    sessions,
    epochs: openEpochs(nodeFiles, folder),
    enforcer,
    environmentInfo: async () => describeEnvironment('0.0.0', await enforcer.report(), enforcer.letsPortsOut),
    initializeTimeoutMs: initializeTimeoutMs ?? null,
    report: (fault: unknown) => void faults.push(fault),
    ...(assertServed === undefined ? {} : { assertServed }),
  }
  const env = { [markVariable]: mark }
  const connect = (limits = {}) => {
    const [ours, theirs] = createMemoryTransportPair(limits)
    void serveExec(theirs, face)
    return connectClient(ours, env)
  }
  const dial = async () => {
    const onConnection = (transport: Transport) => void serveExec(transport, face)
    await using listener = await listenWebSocket({ host: '127.0.0.1', port: 0, token: null, onConnection })
    return connectClient(await connectWebSocket({ url: listener.url }), env)
  }
  const descendants = () => descendantsWithMark(mark)
  return {
    connect,
    dial,
    serve: (transport, onClient) => serveExec(transport, face, onClient),
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
      rmSync(folder, { recursive: true })
    },
  }
}
