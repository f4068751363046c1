import type { Narrowing } from '@parley/policy'
import type { HooksSaid, OpenItem } from '@parley/protocol'

const beginning = '\n(A hook changed this call; what counts is now: '
const maxCharacters = 2_000

/** Returns the sentence for the model about a call that a hook changed; empty for any other. */
export function changeHint(hooks: OpenItem['hooks']): string {
  const changed = hooks?.arguments
  if (changed === undefined) return ''
  const shown = changed.length > maxCharacters ? `${changed.slice(0, maxCharacters).toWellFormed()}…` : changed
  return `${beginning}${shown})`
}

/** Returns the text of an outcome without that sentence. */
export function withoutChangeHint(text: string): string {
  const at = text.lastIndexOf(beginning)
  return at < 0 ? text : text.slice(0, at)
}

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
