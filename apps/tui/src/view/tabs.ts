import { cellWidth } from './width.ts'

/** Tabs as blanks up to the next stop, each line counted from its start. */
export function expandTabs(text: string, tabCells: number): string {
  if (!text.includes('\t')) return text
  return text
    .split('\n')
    .map((line) => (line.includes('\t') ? expandLine(line, tabCells) : line))
    .join('\n')
}

function expandLine(line: string, tabCells: number): string {
  let column = 0
  return line
    .split('\t')
    .map((part, index, parts) => {
      column += cellWidth(part)
      if (index === parts.length - 1) return part
      const blanks = tabCells - (column % tabCells)
      column += blanks
      return part + ' '.repeat(blanks)
    })
    .join('')
}
