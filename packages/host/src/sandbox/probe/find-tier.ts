import { isFilterArch } from '../seccomp/filter.ts'
import type { Finding } from './finding.ts'
import type { Machine } from './machine.ts'
import { preparer } from './preparers.ts'
import { fullBy, noBubblewrap, noFilter, partialBy, whyNotBubblewrap, whyNotLandlock } from './reasons.ts'
import { runWrapped } from './run-wrapped.ts'
import { lookAround } from './surroundings.ts'
import { type TrialEnd, tryLimits } from './try-limits.ts'

/** Tries what there is, best first, until one holds. `besides`: a folder that is not for temporary files. */
export async function findTier(machine: Machine, besides: string | null): Promise<Finding> {
  const { platform, arch } = machine
  if (platform === 'darwin') return findSeatbelt(machine, besides)
  if (platform !== 'linux') return none(`Nothing can enforce limits on this system (${platform}).`)
  if (!isFilterArch(arch)) return none(noFilter(arch))
  const full = await findBubblewrap(machine, besides)
  if (full.tier === 'A') return full
  const partial = await findLandlock(machine, besides)
  const isSure = full.isSure && partial.isSure
  return partial.tier === 'B'
    ? { ...partial, reason: partialBy(full.reason), isSure }
    : none(`${full.reason} ${partial.reason}`, isSure)
}

async function findBubblewrap(machine: Machine, besides: string | null): Promise<Finding> {
  const { bwrap, env } = machine
  if (bwrap === null) return none(noBubblewrap)
  const version = await bubblewrapVersion(bwrap.path)
  const found = { tier: 'A', reason: fullBy(version), bubblewrap: version, isSure: true } as const
  const end = await tryLimits({ prepare: preparer(found, machine), filtered: true, besides })
  return end.kind === 'holds' ? found : none(whyNotBubblewrap(end, await lookAround(env)), isFinal(end))
}

async function findLandlock(machine: Machine, besides: string | null): Promise<Finding> {
  const { perl } = machine
  if (perl === null) return none(whyNotLandlock('noPerl'))
  const { lowestVersion } = await import('../landlock/rights.ts')
  const version = await landlockVersion(perl.path)
  if (version < 1) return none(whyNotLandlock('noLandlock'))
  if (version < lowestVersion) return none(whyNotLandlock('old'))
  const found = { tier: 'B', reason: '', landlock: version, isSure: true } as const
  const end = await tryLimits({ prepare: preparer(found, machine), filtered: true, besides })
  return end.kind === 'holds' ? found : none(whyNotLandlock(end), isFinal(end))
}

async function findSeatbelt(machine: Machine, besides: string | null): Promise<Finding> {
  if (machine.sandboxExec === null) return none('sandbox-exec, which enforces limits on macOS, is not there.')
  const found = { tier: 'A', reason: 'The sandbox of macOS enforces the limits.', isSure: true } as const
  const end = await tryLimits({ prepare: preparer(found, machine), filtered: false, besides })
  if (end.kind === 'holds') return found
  const why = end.kind === 'broken' ? `could not be started: ${end.said}` : 'did not hold when it was tried'
  return none(`The sandbox of macOS ${why}.`, isFinal(end))
}

function none(reason: string, isSure = true): Finding {
  return { tier: 'C', reason, isSure }
}

function isFinal(end: TrialEnd): boolean {
  return end.kind !== 'tooLong'
}

async function bubblewrapVersion(program: string): Promise<string> {
  return /\d+\.\d+(\.\d+)?/.exec(await wordsOf([program, '--version']))?.[0] ?? '0.0.0'
}

/** -1 where the kernel has none. */
async function landlockVersion(perl: string): Promise<number> {
  const askVersion = 'print syscall(444, 0, 0, 1)' // landlock_create_ruleset, the same on both processors
  const version = Number(await wordsOf([perl, '-f', '-e', askVersion]))
  return Number.isInteger(version) ? version : -1
}

async function wordsOf(argv: readonly string[]): Promise<string> {
  const end = await runWrapped({ argv, env: {}, cwd: '/' }, 2000).catch(() => null)
  return end?.exitCode === 0 ? end.stdout : ''
}
