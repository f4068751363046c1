/** Indentation of a line as a patch has it and as the file has it. */
export interface IndentPair {
  readonly patch: string
  readonly file: string
}

export function indentOf(text: string): string {
  return text.slice(0, text.length - text.trimStart().length)
}

/**
 * Returns the indentation in the file for one of the patch, by the lines that both have. Returns null where they do not
 * say it, or say two things.
 */
export function mapIndentation(pairs: readonly IndentPair[], indent: string): string | null {
  if (pairs.every(({ patch, file }) => patch === file)) return indent
  const known = new Set(pairs.flatMap(({ patch, file }) => (patch === indent ? [file] : [])))
  if (known.size > 0) return known.size === 1 ? ([...known][0] ?? null) : null
  const derived = shifted(pairs, indent) ?? translated(pairs, indent)
  if (derived === null) return null
  return isMixed(derived) && !pairs.some(({ file }) => isMixed(file)) ? null : derived
}

function isMixed(indent: string): boolean {
  return indent.includes('\t') && indent.includes(' ')
}

/** Moves an indentation by the difference that all pairs share. */
function shifted(pairs: readonly IndentPair[], indent: string): string | null {
  const [first] = pairs
  if (first === undefined) return null
  const added = beginningOf(first.file, first.patch)
  if (added !== null && pairs.every(({ patch, file }) => file === added + patch)) return added + indent
  const lost = beginningOf(first.patch, first.file)
  if (lost === null || !indent.startsWith(lost)) return null
  return pairs.every(({ patch, file }) => patch === lost + file) ? indent.slice(lost.length) : null
}

/** Returns what stands before `end` in a text; null where the text does not end so. */
function beginningOf(text: string, end: string): string | null {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : null
}

/** Writes an indentation with tabs in place of blanks or the other way round, where all pairs agree on a tab's width. */
function translated(pairs: readonly IndentPair[], indent: string): string | null {
  const tabWidth = widthOfTabs(pairs)
  if (tabWidth === null) return null
  const columns = count(indent, '\t') * tabWidth + count(indent, ' ')
  const indented = pairs.filter(({ file }) => file !== '')
  if (indented.every(({ file }) => !file.includes('\t'))) return ' '.repeat(columns)
  if (indented.some(({ file }) => !file.startsWith('\t'))) return null
  return '\t'.repeat(Math.floor(columns / tabWidth)) + ' '.repeat(columns % tabWidth)
}

function widthOfTabs(pairs: readonly IndentPair[]): number | null {
  const differing = pairs.find(({ patch, file }) => count(patch, '\t') !== count(file, '\t'))
  if (differing === undefined) return null
  const { patch, file } = differing
  const width = (count(file, ' ') - count(patch, ' ')) / (count(patch, '\t') - count(file, '\t'))
  const columns = (text: string) => count(text, '\t') * width + count(text, ' ')
  const isWidth =
    Number.isInteger(width) && width > 0 && pairs.every((pair) => columns(pair.patch) === columns(pair.file))
  return isWidth ? width : null
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}
