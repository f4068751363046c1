import type { ImagePart, ModelEntry, ResultEntry } from '../port/model-client.ts'

/** Text before the images of results, where they stand apart from the results. */
export const imagesFollow = 'The images of the results above, in their order:'

/**
 * Returns the images of all results that end with this one; none for a result that another follows. A request has all
 * results of a response or none, so what a result is written as does not change later.
 */
export function imagesEndingAt(result: ResultEntry, entries: readonly ModelEntry[]): readonly ImagePart[] {
  const at = entries.lastIndexOf(result)
  if (entries[at + 1]?.kind === 'result') return []
  const first = entries.findLastIndex((entry, index) => index < at && entry.kind !== 'result') + 1
  return entries.slice(first, at + 1).flatMap((entry) => (entry.kind === 'result' ? (entry.images ?? []) : []))
}
