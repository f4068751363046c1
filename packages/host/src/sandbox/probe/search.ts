import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { type GuardedHost, isWeaker } from '../sandbox.ts'
import { cacheFinding, findingKey, readCachedFinding } from './finding-cache.ts'
import {
  type Finding,
  type FoundSandbox,
  inspectMachine,
  loopbackMaker,
  type Machine,
  noSandboxFound,
  preparerFor,
} from './machine.ts'

export interface SandboxesOptions extends Pick<GuardedHost, 'own' | 'programs' | 'onExchanged'> {
  /** File (0600) that keeps the finding until the next boot; null keeps nothing. Its folders are made when it is written. */
  readonly cacheFile: string | null
  /** PATH, HOME and the variables of container runtimes; default the env of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Version of the code; findings of another version are ignored. Default: the time of its own file. */
  readonly build?: string
  /** Folders to find programs in, in place of the system's. */
  readonly programFolders?: readonly string[]
}

/** Returns the kept finding, or one found by trying. Never rejects. */
export async function search(options: SandboxesOptions): Promise<FoundSandbox> {
  const { cacheFile } = options
  try {
    const machine = inspect(options)
    const key = findingKey(machine, options.build)
    const kept = cacheFile === null ? null : readCachedFinding(cacheFile, key)
    return found(kept ?? (await tryAndKeep(machine, key, cacheFile)), machine)
  } catch (error) {
    return noSandboxFound(error)
  }
}

/** Tries anew without the kept finding; a better result than before is ignored. Never rejects. */
export async function searchAgain(before: FoundSandbox, options: SandboxesOptions): Promise<FoundSandbox> {
  if (before.finding.enforcement === 'none') return before
  try {
    const machine = inspect(options)
    const finding = await tryAndKeep(machine, findingKey(machine, options.build), options.cacheFile)
    return isWorse(finding, before.finding) ? found(finding, machine) : before
  } catch (error) {
    return noSandboxFound(error)
  }
}

/** Returns true for a finding that gives less: less enforcement, or as much without shared loopbacks. */
function isWorse(now: Finding, before: Finding): boolean {
  if (now.enforcement !== before.enforcement) return isWeaker(now.enforcement, before.enforcement)
  return before.sharesLoopback === true && now.sharesLoopback !== true
}

function inspect({
  env = process.env,
  cacheFile,
  own,
  programs,
  onExchanged,
  programFolders,
}: SandboxesOptions): Machine {
  const host = {
    home: env['HOME'] ?? homedir(),
    env,
    ...(own === undefined ? {} : { own }),
    ...(programs === undefined ? {} : { programs }),
    ...(onExchanged === undefined ? {} : { onExchanged }),
    ...(cacheFile === null ? {} : { stateFolder: dirname(cacheFile) }),
  }
  return inspectMachine(env, host, programFolders)
}

async function tryAndKeep(machine: Machine, key: string, cacheFile: string | null): Promise<Finding> {
  // Needed once a boot, so it is loaded only then.
  const { findEnforcement } = await import('./find-enforcement.ts')
  const finding = await findEnforcement(machine, cacheFile === null ? null : dirname(cacheFile))
  if (cacheFile !== null) await cacheFinding(cacheFile, key, finding)
  return finding
}

function found(finding: Finding, machine: Machine): FoundSandbox {
  return { finding, prepare: preparerFor(finding, machine), openLoopback: loopbackMaker(finding, machine) }
}
