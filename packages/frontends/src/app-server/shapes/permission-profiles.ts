import { isStricterSandbox, type SandboxMode } from '@parley/protocol'
import { codexError } from '../wire/codex-error.ts'

/** Sandbox modes by the ids of Codex's built-in permission profiles, the strictest first. */
const modes: ReadonlyMap<string, SandboxMode> = new Map([
  [':read-only', 'read-only'],
  [':workspace', 'workspace-write'],
  [':danger-full-access', 'danger-full-access'],
])

/** Lists the profiles. Profiles above the loosest allowed mode cannot be chosen. */
export function permissionProfiles(loosest: SandboxMode) {
  return [...modes].map(([id, mode]) => ({ id, description: null, allowed: !isStricterSandbox(loosest, mode) }))
}

/** Returns the profile that a thread has. */
export function activeProfile(sandbox: SandboxMode) {
  const id = [...modes].find(([, mode]) => mode === sandbox)?.[0]
  return id === undefined ? null : { id, extends: null }
}

/**
 * Returns the sandbox mode of a profile; an empty record without a profile. Throws for an unknown profile, or beside a
 * sandbox.
 */
export function profileOverrides(id: string | null | undefined, sandbox: unknown): { sandbox?: SandboxMode } {
  if (id == null) return {}
  if (sandbox != null) throw codexError('`permissions` cannot be combined with `sandbox`')
  const mode = modes.get(id)
  if (mode === undefined)
    throw codexError(`permissions: there is no profile ${id}; there are ${[...modes.keys()].join(', ')}`)
  return { sandbox: mode }
}
