import type { ResultOf } from '@parley/protocol'
import { collapseBlanks } from './collapse-blanks.ts'
import { showHidden } from './neutralise.ts'
import type { Said } from './said.ts'

/** Why a call was run or not: nothing in it hidden, as in the question about it. */
export function whyTable({ item, rows }: ResultOf<'policy/why'>): Said {
  return {
    kind: 'table',
    title: `Why ${shown(item.title)}`,
    rows: rows.map(({ about, text }) => [about, shown(text)]),
  }
}

function shown(text: string): string {
  return showHidden(collapseBlanks(text)).replaceAll('\n', ' ⏎ ')
}
