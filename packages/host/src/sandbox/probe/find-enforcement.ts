import { errorMessage } from '@parley/text'
import { isFilterArch } from '../seccomp/filter.ts'
import { type Finding, type Machine, preparerFor, tryLoopback } from './machine.ts'
import {
  fullBy,
  loopbackApart,
  noBubblewrap,
  noFilter,
  partialBy,
  pipesOpen,
  readRestrictions,
  whyNotBubblewrap,
  whyNotLandlock,
} from './reasons.ts'
import { bothModes, runWrapped, type Trial, type TrialEnd, tryLimits } from './try-limits.ts'

const askLimitMs = 5000

/** Tries the available sandboxes, best first, until one holds. `outsideParent`: a folder that is not for temporary files. */
export async function findEnforcement(machine: Machine, outsideParent: string | null): Promise<Finding> {
  const { platform, arch } = machine
  if (platform === 'darwin') return findSeatbelt(machine, outsideParent)
  if (platform !== 'linux') return none(`Nothing can enforce limits on this system (${platform}).`)
  if (!isFilterArch(arch)) return none(noFilter(arch))
  const full = await findBubblewrap(machine, outsideParent)
  if (full.enforcement === 'full') return full
  const partial = await findLandlock(machine, outsideParent)
  const isSure = full.isSure && partial.isSure
  return partial.enforcement === 'partial'
    ? { ...partial, reason: partialBy(full.reason), isSure }
    : none(`${full.reason} ${partial.reason}`, isSure)
}

async function findBubblewrap(machine: Machine, outsideParent: string | null): Promise<Finding> {
  const { bwrap, env } = machine
  if (bwrap === null) return none(noBubblewrap)
  const [asked, landlock] = await Promise.all([ask([bwrap.path, '--version']), askLandlock(machine)])
  const version = /\d+\.\d+(\.\d+)?/.exec(asked.answer)?.[0]
  if (version === undefined)
    return none(whyNotBubblewrap(asked.problem, await readRestrictions(env)), isFinal(asked.problem))
  const found = { enforcement: 'full', reason: fullBy(version), bubblewrap: version, isSure: true } as const
  const { lowestInside } = await import('../landlock/rules.ts')
  if ('version' in landlock && landlock.version >= lowestInside) {
    const both = await tryBubblewrap({ ...found, landlock: landlock.version }, machine, outsideParent)
    if (both.enforcement === 'full') return both
  }
  const isSure = 'version' in landlock || isFinal(landlock.problem)
  const alone = await tryBubblewrap({ ...found, reason: `${found.reason} ${pipesOpen}` }, machine, outsideParent)
  return { ...alone, isSure: alone.isSure && isSure }
}

async function tryBubblewrap(found: Finding, machine: Machine, outsideParent: string | null): Promise<Finding> {
  const { perl, env } = machine
  const prepare = preparerFor(found, machine)
  const closesPipes = found.landlock !== undefined
  const trial = { prepare, modes: bothModes, filtered: true, closesPipes, perl: perl?.path ?? null, outsideParent }
  const [end, shared] = await Promise.all([tryLimits(trial), trySharedLoopback(trial, machine)])
  if (end.kind !== 'holds') return none(whyNotBubblewrap(end, await readRestrictions(env)), isFinal(end))
  return shared.problem === null
    ? { ...found, sharesLoopback: true }
    : { ...found, reason: `${found.reason} ${loopbackApart(shared.problem)}`, isSure: shared.isSure }
}

/** Tries the limits of a command in a loopback that others could share, with the same mounts. */
async function trySharedLoopback(
  trial: Trial,
  machine: Machine,
): Promise<{ readonly problem: string | null; readonly isSure: boolean }> {
  try {
    const loopback = await tryLoopback(machine)
    try {
      const end = await tryLimits({
        ...trial,
        modes: ['read-only'],
        prepare: (limits) => trial.prepare(limits, loopback),
      })
      return { problem: whyApart(end), isSure: isFinal(end) }
    } finally {
      loopback.close()
    }
  } catch (error) {
    return { problem: errorMessage(error), isSure: true }
  }
}

function whyApart(end: TrialEnd): string | null {
  switch (end.kind) {
    case 'holds':
      return null
    case 'leaks':
      return `a network that they share was tried and did not ${end.leaks.join(', nor ')}`
    case 'broken':
      return end.message
    case 'tooLong':
      return 'a network that they share was not ready in time; it is tried again at the next start'
  }
}

async function findLandlock(machine: Machine, outsideParent: string | null): Promise<Finding> {
  const { perl } = machine
  if (perl === null) return none(whyNotLandlock('noPerl'))
  const { lowestVersion } = await import('../landlock/rules.ts')
  const asked = await askLandlock(machine)
  if (!('version' in asked)) return none(whyNotLandlock(asked.problem), isFinal(asked.problem))
  const { version } = asked
  if (version < 1) return none(whyNotLandlock('noLandlock'))
  if (version < lowestVersion) return none(whyNotLandlock('old'))
  const found = { enforcement: 'partial', reason: '', landlock: version, isSure: true } as const
  const end = await tryLimits({
    prepare: preparerFor(found, machine),
    modes: bothModes,
    filtered: true,
    closesPipes: true,
    perl: perl.path,
    outsideParent,
  })
  return end.kind === 'holds' ? found : none(whyNotLandlock(end), isFinal(end))
}

async function findSeatbelt(machine: Machine, outsideParent: string | null): Promise<Finding> {
  if (machine.sandboxExec === null) return none('sandbox-exec, which enforces limits on macOS, is not there.')
  const found = { enforcement: 'full', reason: 'The sandbox of macOS enforces the limits.', isSure: true } as const
  const end = await tryLimits({
    prepare: preparerFor(found, machine),
    modes: bothModes,
    filtered: false,
    closesPipes: false,
    perl: null,
    outsideParent,
  })
  if (end.kind === 'holds') return found
  const why = end.kind === 'broken' ? `could not be started: ${end.message}` : 'did not hold when it was tried'
  return none(`The sandbox of macOS ${why}.`, isFinal(end))
}

function none(reason: string, isSure = true): Finding {
  return { enforcement: 'none', reason, isSure }
}

function isFinal(end: TrialEnd): boolean {
  return end.kind !== 'tooLong'
}

/** Perl that prints Landlock's version by landlock_create_ruleset, the same on both processors; -1 without Landlock. */
const printsVersion = 'print syscall(444, 0, 0, 1)'

/** Asks for the version of the kernel's Landlock; below 1 without Landlock, or without Perl to apply it. */
async function askLandlock({ perl }: Machine): Promise<{ readonly version: number } | Pick<ProgramAnswer, 'problem'>> {
  if (perl === null) return { version: 0 }
  const { answer, problem } = await ask([perl.path, '-f', '-e', printsVersion])
  return /^-?\d+$/.test(answer) ? { version: Number(answer) } : { problem }
}

interface ProgramAnswer {
  readonly answer: string
  /** Failure to report if the answer is of no use. */
  readonly problem: Extract<TrialEnd, { kind: 'broken' | 'tooLong' }>
}

async function ask(argv: readonly string[]): Promise<ProgramAnswer> {
  try {
    const { stdout, stderr, tooLong } = await runWrapped({ argv, env: {}, cwd: '/' }, askLimitMs)
    return { answer: stdout, problem: tooLong ? { kind: 'tooLong' } : { kind: 'broken', message: stderr.trim() } }
  } catch (error) {
    return { answer: '', problem: { kind: 'broken', message: errorMessage(error) } }
  }
}
