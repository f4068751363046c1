const header = /^\s*\[\[\s*(?:rule|"rule"|'rule')\s*\]\]/
const tripleQuote = /"""|'''/g

/** The 1-based line of each `[[rule]]`, in order. Rules written as an inline array have none. */
export function ruleLines(text: string): number[] {
  const found: number[] = []
  let open: string | null = null
  for (const [index, line] of text.split('\n').entries()) {
    if (open === null && header.test(line)) found.push(index + 1)
    for (const [quote] of line.matchAll(tripleQuote)) {
      if (open === null) open = quote
      else if (open === quote) open = null
    }
  }
  return found
}

/** The line where a key is set, searched from `from` on; `from` itself when it is not found. */
export function keyLine(text: string, key: string, from: number): number {
  const lines = text.split('\n')
  for (let line = from; line < lines.length; line++) {
    const candidate = lines[line] ?? ''
    if (header.test(candidate)) break
    if (candidate.split('=')[0]?.trim().replace(/["']/g, '') === key) return line + 1
  }
  return from
}
