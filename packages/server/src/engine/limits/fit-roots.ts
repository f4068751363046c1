import { homedir } from 'node:os'
import type { SandboxMode } from '@parley/protocol'
import { liesWithin, realOrGiven } from '@parley/workspace'

interface Workplace {
  /** Absolute folders of this machine that may be written to. */
  readonly roots: readonly string[]
  readonly sandbox: SandboxMode
}

/** The mode that a workspace can have: where everything may be written to, a sandbox would limit nothing. */
export function fittingMode({ roots, sandbox }: Workplace): SandboxMode {
  return sandbox === 'workspace-write' && roots.some((root) => realOrGiven(root) === '/') ? 'read-only' : sandbox
}

export const wholeSystemText =
  'The working folder is the whole file system (/), so the sandbox mode is read-only instead of workspace-write. Start parley in a folder to let it write there.'

/** What a person should know of the folders before work begins in them. */
export function rootWarnings({ roots, sandbox }: Workplace, home = homedir()): readonly string[] {
  if (sandbox === 'danger-full-access') return []
  if (fittingMode({ roots, sandbox }) !== sandbox) return [wholeSystemText]
  const realHome = realOrGiven(home)
  if (sandbox === 'read-only' || !roots.some((root) => liesWithin(realHome, realOrGiven(root)))) return []
  return [
    'The working folder holds your home folder. What programs read when they start (.bashrc, .profile, .config, .local, …), keys and parley’s own files stay read-only or hidden in it; everything else in it can be changed. A project folder is safer.',
  ]
}
