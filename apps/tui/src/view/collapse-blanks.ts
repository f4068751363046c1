import { expandTabs } from './tabs.ts'

const tabCells = 4
/** Longer runs of blanks, or of empty lines, would push what follows out of sight. */
const longestRun = 24
const mostEmptyLines = 3

const blanks = new RegExp(` {${longestRun + 1},}`, 'g')
const emptyLines = new RegExp(`\\n(?: *\\n){${mostEmptyLines + 1},}`, 'g')

/** Long runs of blanks as a mark that says how many: `⟨400 spaces⟩`. For showing only. */
export function collapseBlanks(text: string): string {
  return expandTabs(text, tabCells)
    .replace(emptyLines, (run) => `\n⟨${run.split('\n').length - 2} empty lines⟩\n`)
    .replace(blanks, (run) => ` ⟨${run.length} spaces⟩ `)
}
