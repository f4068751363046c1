import { closeSync } from 'node:fs'
import { watchNewRepositories } from '../../paths/new-repositories.ts'
import { watchGuardedPaths } from '../../paths/restore-guarded.ts'
import {
  allClosed,
  type ClosedPaths,
  findSandboxGuards,
  outermost,
  type SandboxGuards,
} from '../../paths/sandbox-guards.ts'
import { assertStartable } from '../../system/spawn-failure.ts'
import { openAnonymousFile, openToAppend, readAnonymousFile } from '../anonymous-file.ts'
import type { GuardedHost, Sandbox, SandboxLimits, SandboxWatch } from '../sandbox.ts'
import { openScratch } from '../scratch.ts'
import { type FilterArch, seccompFilter } from '../seccomp/filter.ts'
import { listFolder, rightsOnOutput, rulesetAttributes, rulesOfLimits } from './rules.ts'
import { hiddenEnv, landlockScript, scriptArguments } from './script.ts'

export interface LandlockMachine {
  readonly host: GuardedHost
  /** Absolute path of Perl. */
  readonly program: string
  /** Version of the kernel's Landlock. */
  readonly version: number
  readonly arch: FilterArch
}

/** Limit for the rules: the system takes about 2 MiB of arguments and env. */
const maxRuleBytes = 1_000_000

/**
 * Prepares limits by Landlock and the filter alone. Unlike in bubblewrap, there are no unix sockets; nothing is made or
 * removed directly in a writable root; other processes are visible; times always change, modes and owners except in
 * `read-only`.
 */
export async function prepareLandlock(limits: SandboxLimits, machine: LandlockMachine): Promise<Sandbox> {
  const { scratch, release } = await openScratch(limits)
  try {
    const roots = limits.mode === 'workspace-write' ? limits.writableRoots : []
    const guarded = await findSandboxGuards(roots, machine.host)
    const outer = await scriptCommand(limits, { scratch, guarded: allClosed(guarded) }, machine)
    const putBack = watchGuardedPaths({ ...onlyFiles(guarded), roots, closesNames: true })
    const lookAtMade = watchNewRepositories(limits.looksAtEnd === false ? [] : roots, machine.host)
    let isStarted = false
    return {
      limits,
      wrap(command) {
        assertStartable(command)
        isStarted = true
        const { writeFd, watch } = openStatus()
        const argv = [...outer, ...command.argv]
        return {
          argv,
          env: hiddenEnv(command, { folder: scratch, network: limits.network }),
          cwd: command.cwd,
          extraFds: [writeFd],
          watch,
        }
      },
      release() {
        const putAside = putBack(isStarted)
        const exchanged = isStarted ? [...putAside, ...lookAtMade()] : putAside
        if (exchanged.length > 0) machine.host.onExchanged?.(exchanged.map(({ text }) => text))
        release()
        return exchanged
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Returns what can be written past Landlock, which closes links and missing names as it does files. */
function onlyFiles(guarded: SandboxGuards) {
  return { kept: outermost(guarded), reportOnly: guarded.reportOnly, links: [], absent: [], held: [], hidden: [] }
}

async function scriptCommand(
  limits: SandboxLimits,
  { scratch, guarded }: { readonly scratch: string; readonly guarded: ClosedPaths },
  { program, version, arch }: LandlockMachine,
): Promise<string[]> {
  const { network, mode } = limits
  const filter = { arch, unixSockets: false, ipSockets: network, attributes: mode !== 'read-only', shared: false }
  const rules = await rulesOfLimits(limits, { version, list: listFolder, scratch, guarded })
  if (rules.reduce((sum, rule) => sum + Buffer.byteLength(rule.path) + 15, 0) > maxRuleBytes) {
    throw new Error('There are too many files beside those that are to be kept from commands')
  }
  const attributes = rulesetAttributes(version, { network })
  return [
    program,
    '-f', // without the start file of the system
    '-e',
    landlockScript,
    ...scriptArguments({ arch, attributes, rightsOnOutput: rightsOnOutput(version), rules }),
    // The command follows.
    seccompFilter(filter).toString('hex'),
  ]
}

/** Opens the file of the script, which writes to `writeFd` when only the command itself can still fail. */
function openStatus(): { readonly writeFd: number; readonly watch: SandboxWatch } {
  const file = openAnonymousFile()
  const watch = {
    innerGroup: () => null,
    outcome: () => ({ ran: readAnonymousFile(file, 1) !== '', leftovers: 0 }),
    close: () => closeSync(file),
  }
  try {
    return { writeFd: openToAppend(file), watch }
  } catch (error) {
    closeSync(file)
    throw error
  }
}
