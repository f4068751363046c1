import type { CompletedItem } from '@parley/protocol'
import { setsPlan } from '@parley/protocol/calls'
import { lookedAt } from './looked-at.ts'

/** Entry of a transcript that shows everything: an item, look-ups that follow each other as one line, or the plan as it was. */
export type TranscriptEntry =
  | { readonly kind: 'item'; readonly completed: CompletedItem }
  | { readonly kind: 'plan'; readonly key: string; readonly seq: number; readonly steps: readonly string[] }
  | { readonly kind: 'lookUps'; readonly key: string; readonly seq: number; readonly words: readonly string[] }

/** Returns the entries of finished items, in order; an empty thought has no entry. */
export function entriesOf(items: readonly CompletedItem[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = []
  for (const completed of items) {
    const { item } = completed
    const words = lookedAt(item)
    const last = entries.at(-1)
    if (item.type === 'toolCall' && setsPlan(item)) {
      const steps = item.text
        .split('\n')
        .filter((step) => step !== '')
        .map(stepWords)
      if (item.status === 'completed') entries.push({ kind: 'plan', key: item.id, seq: completed.seq, steps })
    } else if (words === null) {
      if (item.type !== 'reasoning' || item.text !== '') entries.push({ kind: 'item', completed })
    } else if (last?.kind === 'lookUps') entries[entries.length - 1] = { ...last, words: [...last.words, words] }
    else entries.push({ kind: 'lookUps', key: item.id, seq: completed.seq, words: [words] })
  }
  return entries
}

/** Marks of steps as the call has them, and as people see them. */
const stepMarks: Readonly<Record<string, string>> = { '[x]': '✓', '[>]': '▸', '[ ]': '○' }

function stepWords(step: string): string {
  return step.replace(/^\[.\]/, (mark) => stepMarks[mark] ?? mark)
}
