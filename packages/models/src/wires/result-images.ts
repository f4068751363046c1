import type { ImagePart, ModelEntry } from '../port/model-client.ts'

/** Text before the images of results, where they stand apart from the results. */
export const imagesFollow = 'The images of the results above, in their order:'

/**
 * Returns the images that stand behind each entry: behind the last of results that follow each other, those of all of
 * them. They are no part of that result as it is written once, since a compaction may clear another one of the round.
 */
export function imagesBehind(entries: readonly ModelEntry[]): readonly (readonly ImagePart[])[] {
  let open: readonly ImagePart[] = none
  return entries.map((entry, index) => {
    if (entry.kind !== 'result') return none
    if (entry.images !== undefined) open = [...open, ...entry.images]
    if (entries[index + 1]?.kind === 'result') return none
    const all = open
    open = none
    return all
  })
}

const none: readonly ImagePart[] = []
