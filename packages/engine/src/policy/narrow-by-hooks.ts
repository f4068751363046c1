import type { Narrowing } from '@parley/policy'
import type { HooksSaid } from '@parley/protocol'

/** Beginning of the names of rules that are hooks. */
export const hookRule = 'hook:'

/** Returns how the hooks before a call narrow its decision; null where they let it pass. */
export function narrowingOf(said: HooksSaid | undefined): Narrowing | null {
  if (said?.hook === undefined || said.outcome === 'passed') return null
  const rule = { name: `${hookRule}${said.hook.name}` }
  if (said.outcome === 'stopped') return { verdict: 'deny', rule, reason: said.reason ?? 'a hook stopped it' }
  const changed = said.arguments === undefined ? 'a hook asks' : 'a hook changed what the model wrote'
  return { verdict: 'ask', rule, reason: said.reason === undefined ? changed : `${changed}: ${said.reason}` }
}
