/** Paragraph of one or several rows with a mark at both ends; its length depends on the number. */
export function paragraph(n: number): string {
  return `B${n}; ${'some words '.repeat((n * 7) % 19)}E${n};`
}

/** Returns so many paragraphs as Markdown. */
export function paragraphs(count: number): string {
  return Array.from({ length: count }, (_, n) => paragraph(n)).join('\n\n')
}

/** Returns the marks of so many paragraphs, in order. */
export function marks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => [`B${n};`, `E${n};`]).flat()
}

/**
 * Returns the marks in these rows. A mark ends in a semicolon: the window names its folder, and one with a random name of
 * letters and digits would count as a finished line now and then.
 */
export function marksIn(rows: readonly string[]): readonly string[] {
  return rows.join('\n').match(/[BE]\d+;/g) ?? []
}
