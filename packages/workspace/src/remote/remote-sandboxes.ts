import {
  type GuardKind,
  guardByName,
  guardKinds,
  isWeaker,
  type Sandboxes,
  type SandboxLimits,
  type SandboxReport,
} from '@parley/host'
import { RpcError } from '@parley/rpc'
import type { ExecInfo } from './exec-connection.ts'
import type { Link } from './link.ts'

/** What enforces limits on the machine of an environment: its exec-server, as it says of itself. */
export function remoteSandboxes(name: string, link: Pick<Link, 'connection' | 'ask'>): Sandboxes {
  let worst: SandboxReport | null = null

  async function learn(ask: () => Promise<ExecInfo>): Promise<SandboxReport> {
    let found: SandboxReport
    try {
      found = reportOf(name, await ask())
    } catch {
      // Says nothing of the machine, so it does not count when it is back.
      return worst ?? { tier: 'C', reason: `The environment ${name} cannot be reached, so nothing is enforced there.` }
    }
    if (worst === null || !isWeaker(worst.tier, found.tier)) worst = found
    return worst
  }

  const report = () => learn(async () => (await link.connection()).info)
  return {
    report,
    recheck: () => learn(() => link.ask('environment/info', {})),
    async prepare(limits) {
      const { tier, reason } = await report()
      if (tier === 'C') throw new Error(reason)
      return {
        limits,
        wrap() {
          throw new Error(`limits of the environment ${name} are enforced there, not here`)
        },
      }
    },
  }
}

/** One of an older version does not speak of it, and confines nothing. */
function reportOf(name: string, { sandbox }: ExecInfo): SandboxReport {
  return sandbox ?? { tier: 'C', reason: `The exec-server of environment ${name} is too old to confine what it runs.` }
}

/** What an exec-server is asked to enforce. It adds what it knows of its own machine: secret places, the private /tmp. */
export function sandboxRequest(limits: SandboxLimits): Readonly<Record<string, unknown>> {
  const { mode, writableRoots, network, unixSockets, masked } = limits
  // Without a root named, an exec-server would take the folder that a command is started in, which the model may choose.
  const isWritable = mode === 'workspace-write' && writableRoots.length > 0
  return {
    type: isWritable ? mode : 'read-only',
    writableRoots: [...writableRoots],
    networkAccess: network,
    unixSockets,
    masked: [...masked],
  }
}

interface Question {
  readonly paths: readonly string[]
  readonly roots: readonly string[]
  /** The user's home there. */
  readonly home: string
}

/**
 * Asks the exec-server what stays as it is on its machine. What is guarded by name is known here; one that does not
 * answer such questions cannot tell of the rest.
 */
export async function remoteGuards(
  link: Pick<Link, 'ask'>,
  { paths, roots, home }: Question,
): Promise<readonly (GuardKind | null)[]> {
  const byName = guardByName(roots, home)
  const said: readonly unknown[] = await kindsThere(link, paths, roots)
  return paths.map((path, index) => byName(path) ?? understood(said[index]))
}

async function kindsThere(link: Pick<Link, 'ask'>, paths: readonly string[], roots: readonly string[]) {
  try {
    return (await link.ask('fs/guards', { paths: [...paths], writableRoots: [...roots] })).kinds
  } catch (error) {
    if (error instanceof RpcError) return []
    throw error
  }
}

function understood(said: unknown): GuardKind | null {
  return said === null ? null : (guardKinds.find((kind) => kind === said) ?? 'unknown')
}
