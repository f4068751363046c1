import { openEpochs } from '@parley/exec-server/src/epochs.ts'
import { createPolicyEnforcer } from '@parley/exec-server/src/sandbox/enforce-policy.ts'
import { describeEnvironment, serveExec } from '@parley/exec-server/src/serve-exec.ts'
import { createSessions } from '@parley/exec-server/src/sessions.ts'
import { noSandboxes, openHost, type Sandboxes } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { type CloseReason, createMemoryTransportPair, type Incoming, type Transport } from '@parley/rpc'
import type { LinkChange } from '@parley/workspace'
import { ExecLink } from '@parley/workspace/testing'

export interface Cut {
  /** Number of the request that changes files, from 1, at which the connection ends. */
  readonly at: number
  /** True when that message still arrives; its answer does not. */
  readonly arrives: boolean
  /** True when no connection is made again after it. */
  readonly forGood: boolean
}

export interface BrittleLink extends AsyncDisposable {
  readonly link: ExecLink
  /** From now on nothing goes either way over the connection there is, and nobody says so. */
  mute(): void
  /** Breaks the connection at each of the next so many requests for metadata, before they arrive. */
  breakAtNext(count: number): void
  /** Ends all that the exec-server keeps, as one that is started anew. */
  endSessions(): Promise<void>
  /** Requests that change files, so far. */
  readonly changing: number
  readonly changes: readonly LinkChange[]
}

const none = noSandboxes('Tests have no sandbox.')
const changesFiles = /"method":"fs\/(?:writeFile|remove|createDirectory)"/
const asksMetadata = /"method":"fs\/getMetadata"/

/** A link to an exec-server of this process, which breaks once at exactly one message. */
export function brittleLink(cut: Cut | null, beatMs = 5000, sandboxes: Sandboxes = none): BrittleLink {
  const host = openHost()
  const sessions = createSessions({ host, lingerMs: 10_000 })
  const secrets = () => Promise.resolve([])
  const enforcer = createPolicyEnforcer({ sandboxes, secrets, home: '/nowhere', platform: process.platform })
  const environmentInfo = async () => describeEnvironment('test', await enforcer.report(), enforcer.letsPortsOut)
  const epochs = openEpochs(nodeFiles, '/nowhere/epochs')
  const face = { sessions, epochs, enforcer, environmentInfo, initializeTimeoutMs: null, report: () => undefined }
  const changes: LinkChange[] = []
  let changing = 0
  let isCut = false
  let mute = () => {}
  let breaks = 0
  const dial = async () => {
    if (isCut && cut?.forGood === true) throw new Error('cut')
    const [ours, theirs] = createMemoryTransportPair({ graceMs: 10 })
    void serveExec(theirs, face)
    const mine = { isMuted: false }
    mute = () => {
      mine.isMuted = true
    }
    return breaking(ours, mine, (line) => {
      if (mine.isMuted) return
      if (breaks > 0 && asksMetadata.test(line)) {
        breaks -= 1
        void ours.close()
        return
      }
      if (changesFiles.test(line)) changing += 1
      if (isCut || changing !== cut?.at) return ours.send(line)
      isCut = true
      if (cut.arrives) ours.send(line)
      void ours.close()
    })
  }
  const link = new ExecLink({
    name: 'box',
    dial,
    heartbeatMs: beatMs,
    patienceMs: cut?.forGood === true ? 50 : 10_000,
    onChange: (change) => changes.push(change),
  })
  return {
    link,
    changes,
    mute: () => mute(),
    breakAtNext(count) {
      breaks = count
    },
    endSessions: () => sessions.close(),
    get changing() {
      return changing
    },
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]()
      await sessions.close()
      await host.close()
    },
  }
}

interface Muting {
  readonly isMuted: boolean
}

async function* unlessMuted(incoming: Transport['incoming'], muting: Muting): AsyncGenerator<Incoming, CloseReason> {
  const lines = incoming[Symbol.asyncIterator]()
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done === true) return step.value
    if (!muting.isMuted) yield step.value
  }
}

function breaking(transport: Transport, muting: Muting, send: (line: string) => void): Transport {
  return {
    incoming: unlessMuted(transport.incoming, muting),
    send,
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    closed: transport.closed,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
