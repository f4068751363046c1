import {
  type GuardKind,
  guardByName,
  guardKinds,
  isWeaker,
  type Loopback,
  type Sandboxes,
  type SandboxLimits,
  type SandboxReport,
} from '@parley/host'
import { RpcError } from '@parley/rpc'
import type { ExecInfo } from './exec-connection.ts'
import type { ExecLink } from './link.ts'
import { connectRemotePort } from './remote-port.ts'

/** Describes the sandbox of a remote machine, which its exec-server enforces and reports. */
export function remoteSandboxes(name: string, link: Pick<ExecLink, 'connection' | 'ask'>): Sandboxes {
  let worst: SandboxReport | null = null
  let sharesLoopback = false

  async function learn(ask: () => Promise<ExecInfo>): Promise<SandboxReport> {
    let found: SandboxReport
    try {
      const info = await ask()
      sharesLoopback = info.sandbox?.sharesLoopback === true
      found = reportOf(name, info)
    } catch {
      // A failed request is no report, so it is not kept in `worst`.
      const reason = `The environment ${name} cannot be reached, so nothing is enforced there.`
      return worst ?? { enforcement: 'none', reason }
    }
    if (worst === null || !isWeaker(worst.enforcement, found.enforcement)) worst = found
    return worst
  }

  const loopbackOf = (of: string) => remoteLoopback(link, name, of)
  const report = () => learn(async () => (await link.connection()).info)
  return {
    report,
    recheck: () => learn(() => link.ask('environment/info', {})),
    async prepare(limits, loopback) {
      const { enforcement, reason } = await report()
      if (enforcement === 'none') throw new Error(reason)
      const shared =
        loopback?.name !== undefined && sharesLoopback && !limits.network
          ? { sharesLoopback, loopback: loopback.name }
          : {}
      return {
        limits,
        ...shared,
        wrap() {
          throw new Error(`limits of the environment ${name} are enforced there, not here`)
        },
      }
    },
    // Made there at the first command that names it, and found again by the next server of the conversation.
    openLoopback: (of) => Promise.resolve(loopbackOf(of)),
    loopbackElsewhere: loopbackOf,
  }
}

/** Returns the loopback of a conversation there. It ends with the session. */
function remoteLoopback(link: Pick<ExecLink, 'connection' | 'ask'>, environment: string, name: string): Loopback {
  return {
    name,
    entrance() {
      throw new Error(`commands of the environment ${environment} enter their loopback there`)
    },
    connect: (port) => connectRemotePort(link, { environment, loopback: name, port }),
    close: () => undefined,
  }
}

/** Reads the report. An older exec-server sends no report, or one in other words, and counts as enforcing nothing. */
function reportOf(name: string, { sandbox }: ExecInfo): SandboxReport {
  const { enforcement, reason = '' } = sandbox ?? {}
  if (enforcement !== undefined) return { enforcement, reason }
  return {
    enforcement: 'none',
    reason: `The exec-server of environment ${name} is too old to confine what it runs for this version: update it.`,
  }
}

/** Converts limits to the `sandbox` parameter of `process/start`. The exec-server adds its own secret paths and private /tmp. */
export function sandboxRequest(limits: SandboxLimits, loopback?: string): Readonly<Record<string, unknown>> {
  const { mode, writableRoots, network, unixSockets, masked } = limits
  // Without roots an exec-server makes the command's folder writable, which the model may choose.
  const isWritable = mode === 'workspace-write' && writableRoots.length > 0
  return {
    type: isWritable ? mode : 'read-only',
    writableRoots: [...writableRoots],
    networkAccess: network,
    unixSockets,
    masked: [...masked],
    ...(loopback === undefined ? {} : { sharedLoopback: loopback }),
  }
}

/**
 * Returns why each path stays read-only on the remote machine; null for a writable path.
 *
 * Paths guarded by name are decided here, others by the exec-server. Without `fs/guards` on the exec-server, these are
 * `unknown`. `home`: home folder of the user on the remote machine.
 */
export async function remoteGuards(
  link: Pick<ExecLink, 'ask'>,
  { paths, roots, home }: { paths: readonly string[]; roots: readonly string[]; home: string },
): Promise<readonly (GuardKind | null)[]> {
  const byName = guardByName(roots, home)
  const answers: readonly unknown[] = await guardKindsOf(link, paths, roots)
  return paths.map((path, index) => byName(path) ?? knownKind(answers[index]))
}

async function guardKindsOf(link: Pick<ExecLink, 'ask'>, paths: readonly string[], roots: readonly string[]) {
  try {
    return (await link.ask('fs/guards', { paths: [...paths], writableRoots: [...roots] })).kinds
  } catch (error) {
    if (error instanceof RpcError) return []
    throw error
  }
}

function knownKind(answer: unknown): GuardKind | null {
  return answer === null ? null : (guardKinds.find((kind) => kind === answer) ?? 'unknown')
}
