/** Block that a line would begin if no block were open. Indentation is in columns, tabs counted as four. */
export type LineKind =
  | { readonly kind: 'blank' }
  | { readonly kind: 'fence'; readonly fence: Fence; readonly language: string }
  | { readonly kind: 'heading' }
  | { readonly kind: 'rule' }
  | { readonly kind: 'item'; readonly item: ItemMarker }
  | { readonly kind: 'quote' }
  | { readonly kind: 'indented' }
  | { readonly kind: 'text' }

export interface Fence {
  readonly mark: string
  readonly length: number
  readonly indent: number
}

export interface ItemMarker {
  /** `-`, `*`, `+`, `.` or `)`: items of one list share it. */
  readonly mark: string
  readonly number: number | null
  readonly indent: number
  /** Column at which the item's content begins. */
  readonly content: number
  readonly empty: boolean
}

const fencePattern = /^ *(?:(`{3,})([^`]*)|(~{3,})(.*))$/
const headingPattern = /^ *#{1,6}(?:[ \t]|$)/
const rulePattern = /^ *(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/
const itemPattern = /^ *([*+-]|(\d{1,9})([.)]))([ \t]+|$)(.*)$/

export function lineKind(line: string): LineKind {
  const indent = indentOf(line)
  if (line.trim() === '') return { kind: 'blank' }
  if (indent >= 4) return { kind: 'indented' }
  const fence = fencePattern.exec(line)
  if (fence !== null) return fenceLine(fence, indent)
  if (headingPattern.test(line)) return { kind: 'heading' }
  if (rulePattern.test(line)) return { kind: 'rule' }
  const item = itemPattern.exec(line)
  if (item !== null) return { kind: 'item', item: itemMarker(item, indent) }
  return { kind: line[indent] === '>' ? 'quote' : 'text' }
}

/** Returns the columns of leading blanks. */
export function indentOf(line: string): number {
  let column = 0
  for (const character of line) {
    if (character === ' ') column += 1
    else if (character === '\t') column += 4 - (column % 4)
    else break
  }
  return column
}

/** Returns the line without up to `columns` leading blanks. */
export function dedented(line: string, columns: number): string {
  let offset = 0
  while (offset < columns && (line[offset] === ' ' || line[offset] === '\t')) offset += 1
  return line.slice(offset)
}

/**
 * Returns true for dashes below a paragraph, which make it a heading. Lines of `=` are left to the lexer, because the
 * paragraph may continue after them.
 */
export function isUnderline(line: string): boolean {
  return /^ {0,3}-{3,}[ \t]*$/.test(line)
}

export function closesFence(line: string, fence: Fence): boolean {
  const close = line.trim()
  return indentOf(line) < 4 && close.length >= fence.length && close === fence.mark.repeat(close.length)
}

function fenceLine([, ticks, tickInfo, tildes, tildeInfo]: RegExpExecArray, indent: number): LineKind {
  const marks = ticks ?? tildes ?? ''
  const [language = ''] = (tickInfo ?? tildeInfo ?? '').trim().split(/\s/)
  return { kind: 'fence', fence: { mark: marks.slice(0, 1), length: marks.length, indent }, language }
}

function itemMarker(
  [, marker = '', number, delimiter, blanks = '', rest]: RegExpExecArray,
  indent: number,
): ItemMarker {
  const gap = rest === '' || blanks.length > 4 ? 1 : blanks.length
  return {
    mark: delimiter ?? marker,
    number: number === undefined ? null : Number(number),
    indent,
    content: indent + marker.length + gap,
    empty: rest === '',
  }
}
