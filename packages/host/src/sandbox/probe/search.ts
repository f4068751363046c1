import { dirname } from 'node:path'
import type { Found } from '../found.ts'
import { nothingFound } from '../found.ts'
import type { SandboxesOptions } from '../open-sandboxes.ts'
import { isWeaker } from '../sandboxes.ts'
import type { Finding } from './finding.ts'
import { findingKey, keepFinding, readFinding } from './kept-finding.ts'
import { lookAtMachine, type Machine } from './machine.ts'
import { preparer } from './preparers.ts'

/** What was kept, or else what is found by trying. Never rejects. */
export async function search(options: SandboxesOptions): Promise<Found> {
  const { cacheFile } = options
  try {
    const machine = look(options)
    const key = findingKey(machine, options.build)
    const kept = cacheFile === null ? null : readFinding(cacheFile, key)
    return found(kept ?? (await tryAndKeep(machine, key, cacheFile)), machine)
  } catch (error) {
    return nothingFound(error)
  }
}

/** Whatever was kept, tried anew; what is better than before is not taken. Never rejects. */
export async function searchAgain(before: Found, options: SandboxesOptions): Promise<Found> {
  if (before.finding.enforcement === 'none') return before
  try {
    const machine = look(options)
    const finding = await tryAndKeep(machine, findingKey(machine, options.build), options.cacheFile)
    return isWeaker(finding.enforcement, before.finding.enforcement) ? found(finding, machine) : before
  } catch (error) {
    return nothingFound(error)
  }
}

function look({ env = process.env, own, programFolders }: SandboxesOptions): Machine {
  const more = own === undefined ? {} : { own }
  return lookAtMachine({ env, ...more, ...(programFolders === undefined ? {} : { folders: programFolders }) })
}

async function tryAndKeep(machine: Machine, key: string, cacheFile: string | null): Promise<Finding> {
  // Once a boot: what it takes is loaded then.
  const { findEnforcement } = await import('./find-tier.ts')
  const finding = await findEnforcement(machine, cacheFile === null ? null : dirname(cacheFile))
  if (cacheFile !== null) await keepFinding(cacheFile, key, finding)
  return finding
}

function found(finding: Finding, machine: Machine): Found {
  return { finding, prepare: preparer(finding, machine) }
}
