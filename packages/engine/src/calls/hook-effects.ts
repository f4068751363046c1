import type { OpenItem } from '@parley/protocol'

const maxCharacters = 2_000

/** Returns the sentence for the model about a call that a hook changed; null for any other. */
export function changeHint(hooks: OpenItem['hooks']): string | null {
  const changed = hooks?.arguments
  if (changed === undefined) return null
  const shown = changed.length > maxCharacters ? `${changed.slice(0, maxCharacters).toWellFormed()}…` : changed
  return `(A hook changed this call; what counts is now: ${shown})`
}
