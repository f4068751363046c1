import type { OpenItem } from '@parley/protocol'

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
