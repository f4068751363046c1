import type { ModelEntry, ModelRequest } from '@parley/models'

/** Returns a line for each entry of a request: who, and the first words. */
export function linesOf(request: ModelRequest | undefined): string[] {
  return (request?.entries ?? []).map((entry) => `${entry.kind}: ${wordsOf(entry)}`)
}

function wordsOf(entry: ModelEntry): string {
  return textOf(entry)
    .replace(/\s+/g, ' ')
    .replace(/(?<=<environment>).*/, '')
    .slice(0, 70)
}

export function textOf(entry: ModelEntry | undefined): string {
  if (entry?.kind !== 'user') return entry?.text ?? ''
  return entry.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('')
}

/** Returns all text of a request. */
export function wholeText({ entries }: ModelRequest): string {
  return entries.map(textOf).join('\n')
}
