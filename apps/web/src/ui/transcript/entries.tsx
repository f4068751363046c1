import type { TranscriptEntry } from '@parley/presentation/items/entries'
import { showEffects } from '@parley/presentation/text/control-characters'
import { ItemEntry } from './item-entry.tsx'

/** Finished entries, as items of the list that the transcript is. */
export function Entries({ entries }: { readonly entries: readonly TranscriptEntry[] }) {
  return entries.map((entry) => {
    if (entry.kind === 'item')
      return (
        <li key={entry.completed.item.id} data-seq={entry.completed.seq}>
          <ItemEntry completed={entry.completed} />
        </li>
      )
    return (
      <li key={entry.key} data-seq={entry.seq} className="look-ups muted">
        {entry.kind === 'plan'
          ? `Plan: ${showEffects(entry.steps.join('  '))}`
          : `Looked at ${[...new Set(entry.words)].join(' · ')}`}
      </li>
    )
  })
}
