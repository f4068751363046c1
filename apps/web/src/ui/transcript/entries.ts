import type { CompletedItem, Item } from '@parley/protocol'
import { setsPlan } from '@parley/protocol/calls'
import { lookedAt } from 'parley/page-rules'

/** Entry of the transcript: an item, or look-ups that follow each other as one line. */
export type Entry =
  | { readonly kind: 'item'; readonly completed: CompletedItem }
  | { readonly kind: 'lookUps'; readonly key: string; readonly words: readonly string[] }

/** Returns the entries of finished items, in order. */
export function entriesOf(items: readonly CompletedItem[]): readonly Entry[] {
  const entries: Entry[] = []
  for (const completed of items) {
    const { item } = completed
    const words = lookedAt(item)
    const last = entries.at(-1)
    if (words === null) {
      if (isShown(item)) entries.push({ kind: 'item', completed })
    } else if (last?.kind === 'lookUps') entries[entries.length - 1] = { ...last, words: [...last.words, words] }
    else entries.push({ kind: 'lookUps', key: item.id, words: [words] })
  }
  return entries
}

/** Returns false for empty thoughts, and for calls that only set the plan, which is shown by itself. */
function isShown(item: Item): boolean {
  if (item.type === 'reasoning') return item.text !== ''
  return item.type !== 'toolCall' || !setsPlan(item)
}
