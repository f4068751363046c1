/** Pattern for a line of output. Its cost grows with the length of the line alone. */
export interface OutputPattern {
  readonly text: string
  matches(line: string): boolean
}

/** Explains to the model how a pattern is written. */
export const patternHelp =
  'Plain text within one line, capitals and small letters alike; * is any text, | stands between alternatives, and \\ before a sign takes it as it is. No regular expression.'

const maxLetters = 200

/** Signs of a regular expression, which would be awaited in vain as plain text. */
const regularExpression = /\\[dwsbDWSBntrx]|\.[*+?]|\(\?|\[[^\]]*\w-\w[^\]]*\]|^\^|[^\\]\$$/

/** Reads a pattern, or returns the problem of it. */
export function readPattern(text: string): OutputPattern | { readonly problem: string } {
  if (text.length > maxLetters) return { problem: `The pattern has more than ${maxLetters} letters.` }
  if (regularExpression.test(text) || /[\n\r]/.test(text))
    return { problem: `The pattern ${JSON.stringify(text)} cannot be used. ${patternHelp}` }
  const alternatives = alternativesIn(text.toLowerCase())
  if (alternatives.some((pieces) => pieces.length === 0))
    return { problem: `The pattern ${JSON.stringify(text)} fits every line.` }
  return {
    text,
    matches(line) {
      const small = line.toLowerCase()
      return alternatives.some((pieces) => holdsInOrder(small, pieces))
    },
  }
}

/** Splits a pattern at `|`, and each alternative at `*`; empty pieces are left out. */
function alternativesIn(text: string): readonly (readonly string[])[] {
  const alternatives: string[][] = [['']]
  for (const [sign] of text.matchAll(/\\?./gsu)) {
    const pieces = alternatives.at(-1) ?? []
    if (sign === '|') alternatives.push([''])
    else if (sign === '*') pieces.push('')
    else pieces.push((pieces.pop() ?? '') + (sign.length > 1 && sign.startsWith('\\') ? sign.slice(1) : sign))
  }
  return alternatives.map((pieces) => pieces.filter((piece) => piece !== ''))
}

function holdsInOrder(line: string, pieces: readonly string[]): boolean {
  let from = 0
  for (const piece of pieces) {
    const at = line.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return true
}
