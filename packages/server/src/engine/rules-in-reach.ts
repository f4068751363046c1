import { guardByName } from '@parley/host'
import type { SandboxMode } from '@parley/protocol'
import { liesWithin, realOrGiven } from '@parley/workspace'

interface Workplace {
  /** Absolute folders of this machine that may be written to. */
  readonly roots: readonly string[]
  readonly sandbox: SandboxMode
  readonly home: string
}

/** What a person should know who keeps rules where those whom they bind may write. */
export function rulesInReach(policyFile: string | undefined, { roots, sandbox, home }: Workplace): readonly string[] {
  if (policyFile === undefined || sandbox !== 'workspace-write') return []
  const [file, ...folders] = [policyFile, ...roots].map(realOrGiven)
  if (file === undefined || !folders.some((folder) => liesWithin(file, folder))) return []
  if (guardByName(folders, home)(file) !== null) return []
  return [
    `The policy file ${policyFile} lies in a folder that commands may write to, so the rules can be changed by those they are for. Keep it elsewhere, or in .parley.`,
  ]
}
