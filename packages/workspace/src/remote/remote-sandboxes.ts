import { isWeaker, type Sandboxes, type SandboxReport } from '@parley/host'
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
      return (
        worst ?? {
          enforcement: 'none',
          reason: `The environment ${name} cannot be reached, so nothing is enforced there.`,
        }
      )
    }
    if (worst === null || !isWeaker(worst.enforcement, found.enforcement)) worst = found
    return worst
  }

  const report = () => learn(async () => (await link.connection()).info)
  return {
    report,
    recheck: () => learn(() => link.ask('environment/info', {})),
    async prepare(limits) {
      const { enforcement, reason } = await report()
      if (enforcement === 'none') throw new Error(reason)
      return {
        limits,
        wrap() {
          throw new Error(`limits of the environment ${name} are enforced there, not here`)
        },
      }
    },
  }
}

/** An older version does not say what it enforces, in words of now: it confines nothing. */
function reportOf(name: string, { sandbox }: ExecInfo): SandboxReport {
  const { enforcement, reason = '' } = sandbox ?? {}
  if (enforcement !== undefined) return { enforcement, reason }
  return {
    enforcement: 'none',
    reason: `The exec-server of environment ${name} is too old to confine what it runs for this version: update it.`,
  }
}
