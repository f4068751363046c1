import { showHidden } from './hidden-characters.ts'

/** Longer runs of blanks, or of empty lines, would push what follows out of sight. */
const longestRun = 24
const mostEmptyLines = 3

const blanks = new RegExp(`[ \\t]{${longestRun + 1},}`, 'g')
const emptyLines = new RegExp(`\\n(?:[ \\t]*\\n){${mostEmptyLines + 1},}`, 'g')

/** Long runs of blanks as a mark that says how many: `⟨400 spaces⟩`. For showing only; a tab counts as one. */
export function collapseBlanks(text: string): string {
  return text
    .replace(emptyLines, (run) => `\n⟨${run.split('\n').length - 2} empty lines⟩\n`)
    .replace(blanks, (run) => ` ⟨${run.length} spaces⟩ `)
}

/** Text that others wrote as one line: line ends as ⏎, what hides by its number. */
export function onOneLine(text: string): string {
  return showHidden(collapseBlanks(text))
    .replaceAll(/[ \t]*\n[ \t\n]*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
}
