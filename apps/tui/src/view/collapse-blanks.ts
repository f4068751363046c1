import { collapseBlanks as collapsed } from '@parley/protocol/question'
import { expandTabs } from './tabs.ts'

const tabCells = 4

/** Long runs of blanks, tabs expanded, as a mark that says how many: `⟨400 spaces⟩`. For showing only. */
export function collapseBlanks(text: string): string {
  return collapsed(expandTabs(text, tabCells))
}
