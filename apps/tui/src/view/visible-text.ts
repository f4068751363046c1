import { collapseBlanks } from './collapse-blanks.ts'
import { showHidden } from './neutralise.ts'

/** What a call does, in the record of it as in the question: what hides is shown by its number, long blanks by count. */
export function visibleText(text: string): string {
  return showHidden(collapseBlanks(text))
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', ' ')
}
