import { closeSync } from 'node:fs'
import { assertStartable } from '../../system/spawn-failure.ts'
import { openAnonymousFile, openToAppend, readAnonymousFile } from '../anonymous-file.ts'
import type { GuardSurroundings } from '../guarded/find-guarded.ts'
import { guardedPlaces } from '../guarded/guarded-places.ts'
import type { Sandbox, SandboxLimits, SandboxWatch } from '../sandbox.ts'
import { openScratch } from '../scratch.ts'
import { type FilterArch, seccompFilter } from '../seccomp/filter.ts'
import { rightsOnOutput, rulesetAttributes } from './rights.ts'
import { listFolder, rulesOfLimits } from './rules.ts'
import { callNumbers, hiddenEnv, landlockScript } from './script.ts'

export interface LandlockMachine extends GuardSurroundings {
  /** Absolute path of Perl. */
  readonly program: string
  /** What the kernel says of its Landlock. */
  readonly version: number
  readonly arch: FilterArch
}

/** The system takes about 2 MiB of arguments and environment. */
const maxRuleBytes = 1_000_000

/**
 * Limits by Landlock and the filter alone. Less than bubblewrap gives, in these: no unix sockets even where the limits
 * have them, and without the network no IP sockets at all; nothing can be made or removed directly in a writable root,
 * only in its folders; other processes can be seen; permissions and owners of files can be changed unless it is to read
 * only, and times always.
 */
export async function prepareLandlock(limits: SandboxLimits, machine: LandlockMachine): Promise<Sandbox> {
  const { scratch, release } = await openScratch(limits)
  try {
    const outer = await scriptCommand(limits, scratch, machine)
    return {
      limits,
      wrap(command) {
        assertStartable(command)
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
      release,
    }
  } catch (error) {
    release()
    throw error
  }
}

async function scriptCommand(limits: SandboxLimits, scratch: string, machine: LandlockMachine): Promise<string[]> {
  const { program, version, arch } = machine
  const { network, mode } = limits
  const filter = { arch, unixSockets: false, ipSockets: network, attributes: mode !== 'read-only', shared: false }
  const roots = limits.mode === 'workspace-write' ? limits.writableRoots : []
  const guarded = await guardedPlaces(roots, machine)
  const rules = await rulesOfLimits(limits, { version, list: listFolder, scratch, guarded })
  const lines = rules.map(({ rights, path }) => `${rights}:${path}`)
  if (lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 9, 0) > maxRuleBytes) {
    throw new Error('There are too many files beside those that are to be kept from commands')
  }
  return [
    program,
    '-f', // without the start file of the system
    '-e',
    landlockScript,
    callNumbers(arch),
    rulesetAttributes(version, { network }).toString('hex'),
    seccompFilter(filter).toString('hex'),
    String(rightsOnOutput(version)),
    String(lines.length),
    ...lines,
  ]
}

export interface Status {
  /** For the script, which writes to it when only the command itself can go wrong. */
  readonly writeFd: number
  readonly watch: SandboxWatch
}

export function openStatus(): Status {
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
